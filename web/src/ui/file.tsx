import { useRef } from "react";
import { Button } from "./button.tsx";

interface FileProps {
  readonly children: string;
  /** The `accept` attribute: ".conf,.ovpn" or "image/*". */
  readonly accept?: string;
  readonly multiple?: boolean;
  readonly onChoose: (files: readonly File[]) => void;
}

/** Opens the browser's file dialog. */
export function FileButton({ children, accept, multiple, onChoose }: FileProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onPress={() => input.current?.click()}>{children}</Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={children}
        accept={accept}
        multiple={multiple}
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])]);
          // The same file may be chosen again after it was corrected.
          target.value = "";
        }}
      />
    </>
  );
}
