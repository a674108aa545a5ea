import { nearest } from "@portcullis/contract/nearest";
import { Problem } from "@portcullis/contract/problem";
import {
  type Setting,
  type StringSetting,
  type StringSettingKey,
  stringSettings,
} from "@portcullis/contract/subsystems/settings";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";

/** A bootstrap key in the unified view. */
export interface BootstrapEntry {
  readonly key: string;
  readonly value: unknown;
  readonly source: "bootstrap" | "default";
  readonly description: string;
}

/** Settings that are fields of an alert channel. */
interface ChannelSettings {
  isSet(key: string): boolean;
  refuse(key: string, value: string | null): void;
  change(cause: Cause, changes: Changes): Promise<void>;
}

interface Needs {
  readonly ledger: Ledger;
  readonly bootstrap: readonly BootstrapEntry[];
  readonly channels: ChannelSettings;
  readonly nodeId: string;
}

/** A published setting; its id is its key. */
interface StagedSetting {
  readonly id: string;
  readonly value: string;
}
type Changes = Readonly<Partial<Record<string, string | null>>>;

export type Settings = ReturnType<typeof settingService>;

/** The settings of the bootstrap file, which need a restart, and the string settings in one list. */
export function settingService({ ledger, bootstrap, channels, nodeId }: Needs) {
  const collection = ledger.staged<StagedSetting>("setting");
  const isKey = (key: string): key is StringSettingKey => key in stringSettings;

  function stored(key: StringSettingKey): Setting {
    const {
      description,
      readOnly = false,
      secret = false,
      channel,
      acceptedValues,
    }: StringSetting = stringSettings[key];
    const value = key === "node_id" ? nodeId : (collection.get(key)?.value ?? null);
    const isSet = channel ? channels.isSet(key) : value !== null;
    return {
      key,
      value,
      is_set: isSet,
      source: isSet ? "store" : "default",
      writable: !readOnly && acceptedValues === undefined,
      secret,
      description: acceptedValues === undefined ? description : `${description}. Not supported yet: nothing reads it`,
    };
  }
  const fromBootstrap = ({ key, value, source, description }: BootstrapEntry): Setting => ({
    key,
    value: value ?? null,
    is_set: value != null,
    source,
    writable: false,
    secret: false,
    description,
  });
  const list = (): Setting[] => [
    ...bootstrap.map(fromBootstrap),
    ...(Object.keys(stringSettings) as StringSettingKey[]).map(stored),
  ];

  function get(key: string): Setting {
    const setting = list().find((it) => it.key === key);
    if (setting) return setting;
    const meant = nearest(
      key,
      list().map((it) => it.key),
    );
    throw new Problem(
      "not_found",
      { key, ...(meant !== undefined && { did_you_mean: meant }) },
      { message: `No setting has this key${meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`}` },
    );
  }

  function refuseUnwritable(key: string, value: string | null): void {
    get(key);
    const { readOnly, allowedValues, acceptedValues }: StringSetting = isKey(key)
      ? stringSettings[key]
      : { description: "", readOnly: true };
    if (readOnly)
      throw new Problem(
        "conflict",
        { key },
        {
          message: isKey(key)
            ? "This setting is read-only"
            : "This key belongs to the bootstrap file; change it there and restart",
        },
      );
    if (allowedValues && value !== null && !allowedValues.includes(value))
      throw new Problem(
        "invalid_request",
        { key, allowed: allowedValues },
        { message: `${key} must be one of: ${allowedValues.join(", ")}` },
      );
    if (acceptedValues && value !== null && !acceptedValues.includes(value))
      throw new Problem(
        "not_supported",
        { key, allowed: acceptedValues },
        { message: `${key} has no effect yet, and is not stored` },
      );
    channels.refuse(key, value);
  }

  /** Plain settings are changed in one transaction; those of alert channels follow, each with its sealed secret. */
  async function change(cause: Cause, changes: Changes): Promise<void> {
    const entries = Object.entries(changes).map(([key, value]) => [key, value ?? null] as const);
    for (const [key, value] of entries) refuseUnwritable(key, value);
    const isOfChannel = ([key]: readonly [string, string | null]) =>
      (stringSettings[key as StringSettingKey] as StringSetting).channel === true;
    const plain = entries.filter((entry) => !isOfChannel(entry));
    if (plain.length > 0)
      ledger.change(cause, (draft) => {
        for (const [id, value] of plain)
          if (value === null) draft.remove("setting", id);
          else draft.put("setting", { id, value } as StagedSetting);
      });
    const ofChannels = entries.filter(isOfChannel);
    if (ofChannels.length > 0) await channels.change(cause, Object.fromEntries(ofChannels));
  }

  return {
    list,
    get,
    update: async (cause: Cause, changes: Changes): Promise<Setting[]> => {
      await change(cause, changes);
      return list();
    },
    put: async (cause: Cause, key: string, value: string | null): Promise<Setting> => {
      get(key);
      await change(cause, { [key]: value });
      return get(key);
    },
  };
}
