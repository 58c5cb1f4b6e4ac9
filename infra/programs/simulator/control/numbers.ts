/**
 * Controls of `cloud` numbers: their health and windows, the permissions of their tokens, and
 * events of their account.
 */
import * as v from 'valibot';
import { isUserId } from '../cloud/people.ts';
import { type Exchange, respondJson } from '../http/exchange.ts';
import type { SimulatorState } from '../state/simulator-state.ts';
import { cloudAccount } from '../webhooks/cloud-events.ts';
import { channelsOf, readInput, respondWhenAccepted } from './input.ts';

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

export const PaymentSchema = v.object({
  phoneNumberId: v.string(),
  /** False: the account is paid again. */
  owes: v.optional(v.boolean(), true),
  /** Where a message that has to be paid for is refused with 131042. */
  refusesBy: v.optional(v.picklist(['answer', 'status']), 'answer'),
  /** Whether the number's health shows 141006. */
  isShown: v.optional(v.boolean(), true),
});

export async function setPayment(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(PaymentSchema, exchange);
  if (input === null) return;
  const { phoneNumberId, owes, ...debt } = input;
  simulator.cloudPeople.setDebt(phoneNumberId, owes ? debt : null);
  respondJson(exchange.response, 200, { ok: true });
}

/** `value` of the webhook's field `account_update`, whole. */
export const AccountSchema = v.object({
  phoneNumberId: v.string(),
  /** The account that the entry names; the number's own unless set. */
  account: v.optional(v.string()),
  value: v.looseObject({ event: v.string() }),
});

export async function setAccount(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(AccountSchema, exchange);
  if (input === null) return;
  const { phoneNumberId, account, value } = input;
  const channels = await simulator.directory.find((set) => channelsOf(set, { phoneNumberId }));
  if (channels === undefined) {
    return respondJson(exchange.response, 404, { error: 'no such channel' });
  }
  const entry = cloudAccount(value, account);
  const answers = await Promise.all(
    channels.map((each) => simulator.webhookQueues.postInbound(each, entry)),
  );
  respondWhenAccepted(exchange, answers, { ok: true });
}

export const ScopesSchema = v.object({
  phoneNumberId: v.string(),
  /** As `debug_token` names them. */
  scopes: v.array(v.string()),
});

export async function setScopes(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(ScopesSchema, exchange);
  if (input === null) return;
  const { phoneNumberId, scopes } = input;
  const channels = await simulator.directory.find((set) => channelsOf(set, { phoneNumberId }));
  if (channels === undefined) {
    return respondJson(exchange.response, 404, { error: 'no such channel' });
  }
  for (const { network } of channels) simulator.scopes.set(network.accessToken ?? '', scopes);
  respondJson(exchange.response, 200, { ok: true });
}

export const WindowSchema = v.object({
  phoneNumberId: v.string(),
  /** Free messages outside of the 24 hours fail with 131047; off at first. */
  enforce: v.optional(v.boolean()),
  /** Bare digits, or the opaque id: the contact of `lastWroteAt`. */
  contact: v.optional(v.string()),
  /** Epoch milliseconds; null: the contact never wrote. */
  lastWroteAt: v.optional(v.nullable(v.number())),
});

export async function setWindow(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(WindowSchema, exchange);
  if (input === null) return;
  const { phoneNumberId, enforce, contact, lastWroteAt } = input;
  if ((contact === undefined) !== (lastWroteAt === undefined)) {
    return respondJson(exchange.response, 400, { error: 'contact and lastWroteAt go together' });
  }
  if (enforce !== undefined) simulator.windows.enforce(phoneNumberId, enforce);
  if (contact !== undefined && lastWroteAt !== undefined) {
    const other = isUserId(contact) ? [] : [simulator.cloudPeople.userIdOf(contact)];
    for (const form of [contact, ...other]) simulator.windows.set(phoneNumberId, form, lastWroteAt);
  }
  respondJson(exchange.response, 200, { ok: true });
}
