import { Link } from "wouter";
import { useMay } from "../api/session.tsx";

/** A name that leads to the device, for whoever may look at devices. */
export function DeviceLink({ id, name }: { readonly id: string | null; readonly name: string }) {
  const may = useMay();
  if (id === null || !may(["devices", "get"])) return <span className="wrap">{name}</span>;
  return (
    <Link href={`/devices/${id}`} className="wrap">
      {name}
    </Link>
  );
}
