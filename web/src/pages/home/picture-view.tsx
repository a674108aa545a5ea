import { Link } from "wouter";
import { useConnection } from "../../api/live.tsx";
import { iconOf } from "../../components/device-kind.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useSize } from "../../ui/size.ts";
import { Glyph, State } from "../../ui/state.tsx";
import type { Picture, PictureExit, PictureRow } from "./picture.ts";
import { type Threads, threadsOf } from "./threads.ts";

/** Devices at the left, the gate, exits at the right. The lists are real; the drawing between them is decoration. */
export function PictureView({ picture }: { readonly picture: Picture }) {
  const t = useTranslation().home.picture;
  const format = useFormat();
  const [area, size] = useSize<HTMLDivElement>();
  const isLost = useConnection().state === "stale";
  const threads = size && size.width > 40 ? threadsOf(picture, size) : undefined;
  const outside = picture.rows.filter(({ exit }) => exit === null);
  const lane = outside.some(({ state }) => state === "leaking") ? "leaking" : outside.length > 0 ? "direct" : undefined;
  return (
    <div className={isLost ? "threads stale" : "threads"}>
      <p className="unseen">{t.sentence(sentenceOf(picture), format.list)}</p>
      <div className="threads-from">
        <ul>
          {picture.rows.map((row) => (
            <li key={row.key} className={row.state}>
              <RowName row={row} />
            </li>
          ))}
        </ul>
        <div className={`threads-lane ${lane ?? ""}`}>
          {lane && <Glyph state={lane} />}
          <span>{t.outside}</span>
        </div>
      </div>
      <div className="threads-area" ref={area} aria-hidden="true">
        {threads && size && <Drawing threads={threads} {...size} empty={outside.length === 0} />}
      </div>
      <div className="threads-to">
        <ul>
          {picture.exits.map((exit) => (
            <li key={exit.key} style={{ height: threads?.exitPx.get(exit.key) }}>
              <ExitName exit={exit} picture={picture} />
            </li>
          ))}
        </ul>
        <div className={`threads-lane ${lane ?? ""}`}>
          {lane ? <State state={lane} /> : <span>{t.nothing}</span>}
          {lane && <span className="exit-fine">{t.devices(countOf(outside))}</span>}
        </div>
      </div>
    </div>
  );
}

const countOf = (rows: readonly PictureRow[]): number => rows.reduce((sum, { count }) => sum + count, 0);

/** What the drawing shows, for the sentence. */
function sentenceOf({ rows, exits }: Picture) {
  const behind = (key: string) => countOf(rows.filter(({ exit }) => exit === key));
  return {
    through: exits.filter(({ isOpen }) => isOpen).map(({ key, hops }) => [hops.at(-1) ?? "", behind(key)] as const),
    blocked: countOf(rows.filter(({ state }) => state === "blocked")),
    direct: countOf(rows.filter(({ state }) => state === "direct")),
    leaking: countOf(rows.filter(({ state }) => state === "leaking")),
  };
}

function RowName({ row }: { readonly row: PictureRow }) {
  const t = useTranslation().home.picture;
  const format = useFormat();
  const { device, count, isIdle, rate, state } = row;
  return (
    <>
      <Icon name={device ? iconOf(device) : "more"} />
      {device ? (
        <Link href={`/devices/${device.id}`} className="cut">
          {device.name}
        </Link>
      ) : (
        <Link href={`/devices?posture=${state}`} className="cut quiet">
          {isIdle ? t.idle(count) : t.others(count)}
        </Link>
      )}
      <span className="threads-rate">{rate === null || state === "blocked" ? "" : format.rate(rate)}</span>
    </>
  );
}

function ExitName({ exit, picture }: { readonly exit: PictureExit; readonly picture: Picture }) {
  const t = useTranslation().home.picture;
  const format = useFormat();
  const members = countOf(picture.rows.filter((it) => it.exit === exit.key));
  if (exit.kind === "blocked")
    return (
      <>
        <State state="blocked" />
        <span className="exit-fine">{t.devices(members)}</span>
      </>
    );
  const name = <b className="cut">{exit.hops.at(-1)}</b>;
  return (
    <>
      <span className="exit-name">
        {exit.kind === "tunnel" ? (
          <Link href="/tunnels" className="cut">
            {name}
          </Link>
        ) : (
          name
        )}
        {!exit.isOpen && <span className="exit-down">{t.down}</span>}
      </span>
      {exit.isOpen ? (
        <>
          {exit.rate !== null && <span className="exit-fine">{format.rate(exit.rate)}</span>}
          {exit.rttMs !== null && <span className="exit-fine">{format.ms(exit.rttMs)}</span>}
        </>
      ) : (
        <span className="exit-fine">{t.blocked(members)}</span>
      )}
    </>
  );
}

interface DrawingProps {
  readonly threads: Threads;
  readonly width: number;
  readonly height: number;
  /** Nothing leaves outside the VPN. */
  readonly empty: boolean;
}

const charPx = 6.7;

function Drawing({ threads, width, height, empty }: DrawingProps) {
  const laneY = height - 24;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} focusable="false">
      <defs>
        {(["protected", "direct", "leaking"] as const).map((state) => (
          <linearGradient
            key={state}
            id={`thread-${state}`}
            gradientUnits="userSpaceOnUse"
            x1="0"
            x2={width}
            y1="0"
            y2="0"
          >
            <stop offset="0" stopColor={`var(--${state})`} stopOpacity="0.3" />
            <stop offset="1" stopColor={`var(--${state})`} stopOpacity="0.72" />
          </linearGradient>
        ))}
      </defs>
      {threads.slabs.map((it) => (
        <rect key={it.y} className="slab" {...it} rx="5" />
      ))}
      {threads.dead.map(({ x1, x2, y }) => (
        <path key={y} className="dead" d={`M${x1} ${y}H${x2}`} />
      ))}
      {empty && <path className="dead" d={`M4 ${laneY}H${width - 8}`} />}
      {threads.threads.map((it) => (
        <path
          key={it.key}
          className={`thread ${it.state} ${it.isIdle ? "idle" : ""}`}
          d={it.d}
          strokeWidth={it.width}
          stroke={it.state === "blocked" || it.isIdle ? `var(--${it.state})` : `url(#thread-${it.state})`}
        />
      ))}
      {threads.nodes.map(({ state, ...box }) => (
        <rect key={`${box.x} ${box.y}`} {...box} rx="2" fill={`var(--${state})`} />
      ))}
      {threads.gates.map(({ d, isOpen }) => (
        <path key={d} className="gate" d={d} stroke={isOpen ? "var(--protected)" : "var(--blocked)"} />
      ))}
      {threads.hops.map(({ x, y, name, state }) => {
        const wide = name.length * charPx + 22;
        return (
          <g key={`${x} ${y}`}>
            <rect className={`via ${state}`} x={x - wide / 2} y={y - 12} width={wide} height="24" rx="12" />
            <text x={x} y={y + 4} textAnchor="middle">
              {name}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
