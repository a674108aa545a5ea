import type { HandlersOf } from "@portcullis/contract/handler";
import type { mqtt } from "@portcullis/contract/subsystems/mqtt";
import type { MqttService } from "./mqtt.service.ts";

export const mqttRoutes = (service: MqttService): HandlersOf<typeof mqtt> => ({
  get: () => service.get(),
  put: ({ body }, { cause }) => service.put(cause, body),
  test: (_, { cause }) => service.test(cause),
});
