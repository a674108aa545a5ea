import type { TextStore } from "../../ledger/text-store.ts";
import type { StoredAnomaly } from "./anomalies.machine.ts";
import { type Profile, readProfile, writeProfile } from "./profile.ts";

export interface AnomalyStore {
  readonly profiles: readonly Profile[];
  readonly anomalies: readonly StoredAnomaly[];
  readonly writeProfiles: (changed: readonly Profile[], removed: readonly string[]) => void;
  readonly writeAnomalies: (changed: readonly StoredAnomaly[], removed: readonly string[]) => void;
  readonly close: () => void;
}

/** Baselines and anomalies in one file of texts. */
export function anomalyStore(file: TextStore): AnomalyStore {
  const rows = file.load();
  const isProfile = (text: string) => text.startsWith('{"version":');
  const unreadable: string[] = [];
  const profiles = rows.filter(isProfile).flatMap((text) => {
    const profile = readProfile(text);
    if (!profile) unreadable.push(profileKey((JSON.parse(text) as { device: string }).device));
    return profile ?? [];
  });
  file.write([], unreadable);
  return {
    profiles,
    anomalies: rows.filter((text) => !isProfile(text)).map((text) => JSON.parse(text) as StoredAnomaly),
    writeProfiles: (changed, removed) =>
      file.write(
        changed.map((it) => ({ key: profileKey(it.device), text: writeProfile(it) })),
        removed.map(profileKey),
      ),
    writeAnomalies: (changed, removed) =>
      file.write(
        changed.map((it) => ({ key: it.id, text: JSON.stringify(it) })),
        removed,
      ),
    close: file.close,
  };
}

const profileKey = (device: string): string => `profile ${device}`;
