/** Messages of every content: as the contact sees them, and as the contact answers them. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import type { Stack } from '../stack.ts';
import { waitFor } from '../wait-for.ts';

const RowSchema = v.looseObject({
  to: v.string(),
  kind: v.string(),
  text: v.nullable(v.string()),
  externalId: v.string(),
});
export type Row = v.InferOutput<typeof RowSchema>;

/** Messages that the network accepted for the contact, in order. */
export async function rowsTo(stack: Stack, phone: string): Promise<readonly Row[]> {
  const answer = await stack.network.control(`GET /sent?to=${phone}`);
  return v.parse(v.object({ data: v.array(RowSchema) }), answer).data;
}

export function untilRows(stack: Stack, phone: string, count: number): Promise<readonly Row[]> {
  return waitFor(
    async () => {
      const rows = await rowsTo(stack, phone);
      return rows.length >= count ? rows : null;
    },
    { what: `${count} messages for ${phone}` },
  );
}

/** The last of so many messages that the contact got. */
export async function lastRow(stack: Stack, phone: string, count = 1): Promise<Row> {
  const rows = await untilRows(stack, phone, count);
  assert.equal(rows.length, count);
  return rows.at(-1) ?? assert.fail();
}

/** The contact does something at the network; resolves once the service has taken it. */
export async function contactDoes(
  stack: Stack,
  what: Readonly<Record<string, unknown>>,
): Promise<string> {
  const answer = await stack.network.control('POST /inbound', what);
  return v.parse(v.looseObject({ id: v.optional(v.string(), '') }), answer).id;
}

/** Enforcement of the window, and when a contact is said to have written. */
export async function setWindow(
  stack: Stack,
  { phoneNumberId }: { readonly phoneNumberId: string },
  window: { readonly enforce?: boolean; readonly contact?: string; readonly lastWroteAt?: number },
): Promise<void> {
  await stack.network.control('POST /window', { phoneNumberId, ...window });
}
