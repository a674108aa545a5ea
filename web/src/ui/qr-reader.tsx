import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "../i18n/i18n.tsx";

/** Larger images take longer to search and yield no more. */
const longestSidePx = 1600;

/** The text of the QR code in an image; undefined if there is none. */
export async function readQr(picture: Blob): Promise<string | undefined> {
  const bitmap = await createImageBitmap(picture).catch(() => undefined);
  if (!bitmap) return undefined;
  try {
    return await textIn(bitmap, bitmap.width, bitmap.height);
  } finally {
    bitmap.close();
  }
}

/** The camera, until it has read a code or is unmounted. Mount it only on request of the user. */
export function QrCamera({
  label,
  onRead,
  onProblem,
}: {
  readonly label: string;
  readonly onRead: (text: string) => void;
  readonly onProblem: (sentence: string) => void;
}) {
  const { ui } = useTranslation();
  const video = useRef<HTMLVideoElement>(null);
  const [watching, setWatching] = useState(false);
  const read = useEffectEvent(onRead);
  const failed = useEffectEvent((cause: unknown) =>
    onProblem(cause instanceof DOMException && cause.name === "NotAllowedError" ? ui.cameraRefused : ui.noCamera),
  );
  useEffect(() => {
    let wanted = true;
    let stream: MediaStream | undefined;
    const watch = async (): Promise<void> => {
      // Browsers offer cameras only to pages over HTTPS or from localhost.
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" }, audio: false });
      const screen = video.current;
      if (!wanted || !screen) return stop(stream);
      screen.srcObject = stream;
      await screen.play();
      setWatching(true);
      while (wanted) {
        const text = screen.videoWidth > 0 && (await textIn(screen, screen.videoWidth, screen.videoHeight));
        if (wanted && text) return read(text);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };
    watch().catch((cause: unknown) => wanted && failed(cause));
    return () => {
      wanted = false;
      stop(stream);
    };
  }, []);
  return (
    <div className="stack tight">
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- a camera preview without sound */}
      <video ref={video} className="camera" muted playsInline aria-label={label} />
      <p className="quiet fine" role="status">
        {watching ? ui.cameraWatches : ui.cameraStarts}
      </p>
    </div>
  );
}

const stop = (stream: MediaStream | undefined): void => stream?.getTracks().forEach((track) => track.stop());

async function textIn(source: CanvasImageSource, width: number, height: number): Promise<string | undefined> {
  const scale = Math.min(1, longestSidePx / Math.max(width, height));
  const [wide, high] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: wide, height: high });
  const pen = canvas.getContext("2d", { willReadFrequently: true })!;
  pen.fillStyle = "white";
  pen.fillRect(0, 0, wide, high);
  pen.drawImage(source, 0, 0, wide, high);
  const { decodeQR } = await import("qr/decode.js");
  try {
    return decodeQR(pen.getImageData(0, 0, wide, high));
  } catch {
    return undefined;
  }
}
