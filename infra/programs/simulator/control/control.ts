/**
 * The simulator's control interface (C14): makes a contact write, lists the messages that the
 * network accepted, injects faults, clears the state. `GET /control` lists all controls.
 *
 * Receipts of accepted messages continue after "forget": the network accepted those messages.
 */
import * as v from 'valibot';
import { ENGINES } from '../bridge/engines.ts';
import { type Exchange, respondJson } from '../http/exchange.ts';
import { type Fault, FaultSchema, lookupKey, numberKey, proxyKey } from '../network/faults.ts';
import { InboundSchema } from '../network/inbound.ts';
import type { SimulatorState } from '../state/simulator-state.ts';
import { inject } from './inbound.ts';
import { readInput } from './input.ts';
import { type Control, describeControls } from './list.ts';
import {
  AccountSchema,
  HealthSchema,
  PaymentSchema,
  ScopesSchema,
  setAccount,
  setHealth,
  setPayment,
  setScopes,
  setWindow,
  WindowSchema,
} from './numbers.ts';
import {
  EngineSchema,
  PersonSchema,
  RestartSchema,
  RestrictionSchema,
  restart,
  SessionSchema,
  setEngine,
  setPerson,
  setRestriction,
  setSession,
} from './sessions.ts';
import {
  AccountIdSchema,
  clearTemplates,
  listTemplates,
  setTemplate,
  TemplateSchema,
} from './templates.ts';

/** Of the query: bare digits of a contact. */
const ToSchema = v.object({ to: v.optional(v.string()) });

const CONTROLS: readonly Control[] = [
  {
    ...post('inbound', InboundSchema, inject),
    does: 'makes a contact write on one of channelId, phoneNumberId, session; from: bare digits',
  },
  {
    ...{ method: 'GET', path: '/control/sent', takes: ToSchema.entries, serve: listSent },
    does: 'lists what the networks accepted, in order; to: bare digits',
  },
  {
    ...post('faults', FaultSchema, addFault),
    does: 'makes the network of a phoneNumberId or session misbehave, times sends long',
  },
  {
    ...{ method: 'DELETE', path: '/control/faults', serve: withdrawFaults },
    takes: ToSchema.entries,
    does: 'makes every network behave again; to: withdraws the faults of sends to this contact',
  },
  {
    ...post('session', SessionSchema, setSession),
    does: 'changes the state of a QR session, or the number that it is connected to',
  },
  {
    ...post('engines', EngineSchema, setEngine),
    does: `puts another engine behind a QR session: ${ENGINES.join(', ')}`,
  },
  { ...post('restart', RestartSchema, restart), does: 'starts the bridge of a session again' },
  {
    ...post('restriction', RestrictionSchema, setRestriction),
    does: 'lets the number of a session begin no conversations; active: false ends it',
  },
  { ...post('people', PersonSchema, setPerson), does: 'tells the networks of a person' },
  { ...post('health', HealthSchema, setHealth), does: 'sets the health of a cloud number' },
  {
    ...post('payment', PaymentSchema, setPayment),
    does: 'lets the account of a cloud number owe Meta: only replies within 24 hours go',
  },
  {
    ...post('account', AccountSchema, setAccount),
    does: 'tells of a change of the account behind a cloud number',
  },
  {
    ...post('templates', TemplateSchema, setTemplate),
    does: 'makes, changes or removes a template of an account, and tells the service',
  },
  {
    ...{ method: 'GET', path: '/control/templates', serve: listTemplates },
    takes: AccountIdSchema.entries,
    does: 'lists the templates of an account with all of their fields',
  },
  {
    ...{ method: 'DELETE', path: '/control/templates', serve: clearTemplates },
    takes: AccountIdSchema.entries,
    does: 'removes the templates of an account, its first ones too; without it of all',
  },
  {
    ...post('permissions', ScopesSchema, setScopes),
    does: 'sets the permissions of the access token of a cloud number',
  },
  {
    ...post('window', WindowSchema, setWindow),
    does: 'enforces the 24 hours of a cloud number, or sets when a contact last wrote',
  },
  {
    ...{ method: 'GET', path: '/control/typing', takes: ToSchema.entries, serve: listSeen },
    does: 'lists read marks and typing, in order; to: bare digits',
  },
  {
    ...{ method: 'GET', path: '/control/refused', serve: listRefused },
    does: 'lists the messages that Graph refused by its documentation, without faults',
  },
  {
    ...{ method: 'DELETE', path: '/control', serve: forget },
    does: 'forgets what was sent, set and told',
  },
  { ...{ method: 'GET', path: '/control', serve: list }, does: 'lists these controls' },
];

const BY_CALL: ReadonlyMap<string, Control> = new Map(
  CONTROLS.map((control) => [`${control.method} ${control.path}`, control]),
);

function post(
  name: string,
  { entries }: { readonly entries: Control['takes'] & object },
  serve: Control['serve'],
) {
  return { method: 'POST', path: `/control/${name}`, takes: entries, serve } as const;
}

export async function serveControl(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const { response, method, path } = exchange;
  const control = BY_CALL.get(`${method} ${path}`);
  if (control !== undefined) return control.serve(simulator, exchange);
  const error = `no such control: ${method} ${path}; GET /control lists them`;
  respondJson(response, 404, { error });
}

function list(_world: SimulatorState, { response }: Exchange): void {
  respondJson(response, 200, { data: describeControls(CONTROLS) });
}

function forget(simulator: SimulatorState, { response }: Exchange): void {
  simulator.people.clear();
  simulator.sessions.clear();
  simulator.cloudPeople.clear();
  simulator.sent.clear();
  simulator.faults.withdraw(undefined);
  simulator.media.clear();
  simulator.templates.clear();
  simulator.scopes.clear();
  simulator.windows.clear();
  simulator.received.clear();
  simulator.seen.clear();
  simulator.refused.clear();
  respondJson(response, 200, { ok: true });
}

function withdrawFaults(simulator: SimulatorState, exchange: Exchange): void {
  simulator.faults.withdraw(toOf(exchange));
  respondJson(exchange.response, 200, { ok: true });
}

function toOf({ query }: Exchange): string | undefined {
  return new URLSearchParams(query).get('to') ?? undefined;
}

function listSent(simulator: SimulatorState, exchange: Exchange): void {
  const data = simulator.sent
    .list(toOf(exchange))
    .map((message) => ({ ...message, at: new Date(message.at).toISOString() }));
  respondJson(exchange.response, 200, { data });
}

function listSeen(simulator: SimulatorState, exchange: Exchange): void {
  const data = simulator.seen
    .list(toOf(exchange))
    .map((mark) => ({ ...mark, at: new Date(mark.at).toISOString() }));
  respondJson(exchange.response, 200, { data });
}

function listRefused({ refused }: SimulatorState, { response }: Exchange): void {
  const data = refused
    .list()
    .map((request) => ({ ...request, at: new Date(request.at).toISOString() }));
  respondJson(response, 200, { data });
}

function bridgeKeyOf({ proxy, lookups }: Fault, session: string): string {
  if (proxy) return proxyKey(session);
  return lookups ? lookupKey(session) : numberKey('web', session);
}

async function addFault(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const fault = await readInput(FaultSchema, exchange);
  if (fault === null) return;
  const { phoneNumberId, session } = fault;
  if (phoneNumberId === undefined && session === undefined) {
    return respondJson(exchange.response, 400, { error: 'phoneNumberId or session is needed' });
  }
  if (fault.asStatus && fault.code === undefined) {
    return respondJson(exchange.response, 400, { error: 'asStatus needs a code' });
  }
  if (phoneNumberId !== undefined) simulator.faults.add(numberKey('cloud', phoneNumberId), fault);
  if (session !== undefined) {
    simulator.faults.add(bridgeKeyOf(fault, session), fault);
  }
  respondJson(exchange.response, 200, { ok: true });
}
