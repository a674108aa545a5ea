/** On a grid of 24 by 24, in the text colour. */
const paths = {
  home: "M4 11 12 4l8 7v9h-5v-6H9v6H4z",
  devices: "M3 5h12v9H3zM7 18h4M9 14v4M17 9h4v10h-4z",
  routing: "M5 4v8a4 4 0 0 0 4 4h10M15 12l4 4-4 4M5 4l-2 3M5 4l2 3",
  changes: "M8 4 4 8l4 4M4 8h11a5 5 0 0 1 0 10H8",
  tunnels: "M3 19v-6a9 9 0 0 1 18 0v6M8 19v-6a4 4 0 0 1 8 0v6",
  bridges: "M3 16h18M5 16v-3a7 7 0 0 1 14 0v3M9 16v-5M15 16v-5",
  proxies: "M4 7h10M10 3l4 4-4 4M20 17H10M14 13l-4 4 4 4",
  splitting: "M4 12h6l6-6h4M10 12l6 6h4M18 4l2 2-2 2M18 16l2 2-2 2",
  privacy: "M12 3l8 3v6c0 4.5-3.5 7.5-8 9-4.5-1.5-8-4.5-8-9V6z",
  dns: "M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01",
  network: "M12 3v5M5 21v-5h14v5M12 8v8M9 3h6v5H9zM2 21h6M16 21h6",
  alerts: "M6 17V10a6 6 0 0 1 12 0v7l2 2H4zM10 21h4",
  anomalies: "M3 12h4l2-4 3 10 3-14 2 8h4",
  captures: "M4 6h16v12H4zM4 10h16M8 14h3M13 14h3",
  audit: "M6 3h12v18H6zM9 8h6M9 12h6M9 16h4",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M6 14v6",
  access: "M14 10a4 4 0 1 0-3.5 4L12 16h2v2h2v2h4v-4l-5.5-5.5",
  api: "M8 6 3 12l5 6M16 6l5 6-5 6",
  find: "M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15 15l5 5",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  menu: "M4 6h16M4 12h16M4 18h16",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  close: "M5 5l14 14M19 5 5 19",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  add: "M12 5v14M5 12h14",
  edit: "M4 20l1-5L16 4l4 4L9 19zM13 7l4 4",
  remove: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4 4-6 8-6s8 2 8 6",
  theme: "M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z",
  check: "M5 12l5 5L20 7",
  warn: "M12 4 2 20h20zM12 10v5M12 17.5h.01",
  drag: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  refresh: "M20 11a8 8 0 1 0-2 6M20 5v6h-6",
  play: "M7 5l12 7-12 7z",
  pause: "M8 5v14M16 5v14",
} as const;
export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
