import { specificity } from "@portcullis/contract/policy-order";
import { sourceTypes } from "@portcullis/contract/subsystems/routing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inOrder as inOrderOnPage } from "../../../../web/src/components/policies/order.ts";
import { inOrder } from "./policy-order.ts";

test("policy order: every source type occurs once", () => {
  expect(specificity.toSorted()).toEqual(sourceTypes.toSorted());
});

test("policy order: the web interface sorts policies as the gateway evaluates them", () => {
  const policy = fc.record({
    id: fc.uuid(),
    priority: fc.integer({ min: 0, max: 3 }),
    sourceType: fc.constantFrom(...sourceTypes),
  });
  fc.assert(
    fc.property(fc.uniqueArray(policy, { selector: ({ id }) => id, maxLength: 40 }), (policies) => {
      const shown = policies.map(({ sourceType, ...rest }) => ({ ...rest, source_type: sourceType }));
      expect(inOrderOnPage(shown).map(({ id }) => id)).toEqual(inOrder(policies).map(({ id }) => id));
    }),
  );
});
