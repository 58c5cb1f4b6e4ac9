/** Controls of `cloud` numbers: their reported health, and events of their account. */
import * as v from 'valibot';
import { cloudAccount } from './cloud-events.ts';
import { channelsOf, readInput, respondWhenAccepted } from './control-input.ts';
import { type Exchange, respondJson } from './exchange.ts';
import type { SimulatorState } from './simulator-state.ts';

export const HealthSchema = v.object({
  phoneNumberId: v.string(),
  canSend: v.picklist(['AVAILABLE', 'LIMITED', 'BLOCKED']),
  /** The one of the number's owners that causes it. */
  entity: v.optional(v.picklist(['PHONE_NUMBER', 'WABA', 'BUSINESS', 'APP']), 'PHONE_NUMBER'),
  errors: v.optional(
    v.array(
      v.object({
        error_code: v.number(),
        error_description: v.string(),
        possible_solution: v.optional(v.string(), ''),
      }),
    ),
    [],
  ),
});

export async function setHealth(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(HealthSchema, exchange);
  if (input === null) return;
  simulator.cloudPeople.setHealth(input.phoneNumberId, input);
  respondJson(exchange.response, 200, { ok: true });
}

/** `value` of the webhook's field `account_update`, whole. */
export const AccountSchema = v.object({
  phoneNumberId: v.string(),
  value: v.looseObject({ event: v.string() }),
});

export async function setAccount(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(AccountSchema, exchange);
  if (input === null) return;
  const { phoneNumberId, value } = input;
  const channels = await simulator.directory.find((set) => channelsOf(set, { phoneNumberId }));
  if (channels === undefined) {
    return respondJson(exchange.response, 404, { error: 'no such channel' });
  }
  const entry = cloudAccount(value);
  const answers = await Promise.all(
    channels.map((each) => simulator.webhookQueues.postInbound(each, entry)),
  );
  respondWhenAccepted(exchange, answers, { ok: true });
}
