import type { PrivacyClass } from "@portcullis/contract/subsystems/classes";
import { EntryDialog } from "../../ui/body-form.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

/** A strict default: a privacy class is created in order to protect. */
const fresh = {
  dns_mode: "system",
  force_dns: true,
  block_doh: true,
  block_ipv6: false,
  block_webrtc: true,
  require_tunnel: true,
  log_level: "counts",
} as const;
const switches = ["require_tunnel", "force_dns", "block_doh", "block_webrtc", "block_ipv6"] as const;

interface Props {
  readonly of: PrivacyClass | undefined;
  readonly onClose: () => void;
}

export function PrivacyClassDialog({ of, onClose }: Props) {
  const t = useTranslation().devices.belongings;
  const { long, hints, forceRests } = t.privacy;
  const switchTexts = (field: (typeof switches)[number]) => ({ label: long[field], hint: hints[field] });
  return (
    <EntryDialog
      of="privacyClasses"
      row={of}
      first={fresh}
      onClose={onClose}
      invalidates={["devices", "policyViews", "dns"]}
      title={of ? t.editTitle(of.name) : t.privacy.add}
      fields={["name", "description", ...switches, "dns_mode", "log_level"]}
      texts={{
        name: t.name,
        description: t.description,
        require_tunnel: switchTexts("require_tunnel"),
        force_dns: switchTexts("force_dns"),
        block_doh: switchTexts("block_doh"),
        block_webrtc: switchTexts("block_webrtc"),
        block_ipv6: switchTexts("block_ipv6"),
        dns_mode: { label: t.privacy.dnsMode, options: t.privacy.dnsModes },
        log_level: { label: t.privacy.log, options: t.privacy.logs },
      }}
      hints={({ dns_mode = "system" }) => ({
        dns_mode: t.privacy.dnsModeHints[dns_mode],
        // The DNS mode takes precedence over the redirection of DNS.
        ...(dns_mode !== "device" && { force_dns: forceRests[dns_mode] }),
      })}
    />
  );
}
