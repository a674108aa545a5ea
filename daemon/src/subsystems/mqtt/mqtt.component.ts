import { because, type Reason } from "@portcullis/contract/reason";
import type { MqttStatus } from "@portcullis/contract/subsystems/mqtt";
import { type Component, component } from "@portcullis/contract/subsystems/status";

/** Whether the broker has the current states. */
export function mqttComponent({ state, coded_reason }: Pick<MqttStatus, "state" | "coded_reason">): Component {
  switch (state) {
    case "off":
      return component("mqtt", "off", because("mqtt_off"));
    case "connecting":
      return component("mqtt", "ok", because("mqtt_connecting"));
    case "connected":
      return component("mqtt", "ok", because("mqtt_connected"));
    case "failed": {
      const why: Reason = coded_reason ?? because("mqtt_connecting");
      return component("mqtt", "degraded", because("mqtt_failing", { why }));
    }
  }
}
