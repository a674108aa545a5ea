import { Link } from "wouter";
import { useMay } from "../api/session.tsx";

/** A device name that links to the device page if the role may read devices. */
export function DeviceLink({ id, name }: { readonly id: string | null; readonly name: string }) {
  const may = useMay();
  if (id === null || !may(["devices", "get"])) return <span className="wrap">{name}</span>;
  return (
    <Link href={`/devices/${id}`} className="wrap">
      {name}
    </Link>
  );
}
