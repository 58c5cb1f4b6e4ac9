/** Rows of subscriptions: a secret is in the answer that makes it, and nowhere else. */
import * as v from 'valibot';
import {
  booleanField,
  choice,
  isWebUrl,
  listUpTo,
  requestObject,
  textUpTo,
} from '../../../shared/api/fields.ts';
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { CONTRACT_EVENTS, EVERY_CONTRACT_EVENT, EXTENSION_EVENTS } from '../../../shared/events.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import { jsonReply, type Reply } from '../../http/respond.ts';
import { type ApiRoute, apiRoute, type Call } from '../../route.ts';
import { ANY_ANSWER as answers } from './any-answer.ts';
import { freshSeed, refusedAs, toOrganization } from './operator-commands.ts';

const TAG = 'Integrações';
const URL_MAX_CHARS = 2_048;
const EVENTS = [EVERY_CONTRACT_EVENT, ...CONTRACT_EVENTS, ...EXTENSION_EVENTS] as const;

const url = v.pipe(textUpTo(URL_MAX_CHARS), v.check(isWebUrl, SENTENCES.urlInvalid));
const events = v.pipe(
  listUpTo(choice(EVENTS), EVENTS.length),
  v.minLength(1, SENTENCES.atLeastOne),
);

const SavedSchema = v.object({ id: v.string() });

/** The subscription's workers read the change before the answer. */
async function changing(
  { caller, ids, ask }: Call<unknown, unknown>,
  command: CommandOf<'organization'>,
): Promise<Reply> {
  const answer = await ask(toOrganization(caller, command));
  if (answer.status >= 300) return refusedAs('subscription_not_found', answer);
  const data = bodyOf(answer);
  const { id } = v.parse(SavedSchema, data);
  const configured = { id: ids.fresh('cmd'), type: 'configure' } as const;
  const address = { kind: 'subscription', key: id } as const;
  const done = await ask({ to: 'actor', address, command: configured });
  return done.status >= 300 ? done : jsonReply(answer.status, { data });
}

const listSubscriptions = apiRoute({
  method: 'GET',
  path: '/panel/api/subscriptions',
  operationId: 'listSubscriptions',
  summary: 'Lista as assinaturas de eventos.',
  tag: TAG,
  answers,
  plan: ({ caller, ids }) =>
    toOrganization(caller, { id: ids.fresh('cmd'), type: 'subscriptions.list' }),
});

const createSubscription = apiRoute({
  method: 'POST',
  path: '/panel/api/subscriptions',
  operationId: 'createSubscription',
  summary: 'Cria uma assinatura e mostra o seu segredo, só desta vez.',
  tag: TAG,
  body: requestObject({ url, events: v.optional(events) }),
  bodyExample: { url: 'https://example.com/recado', events: ['message.received'] },
  answers,
  answersSecret: true,
  run(call) {
    const { ids, body } = call;
    const command = {
      id: ids.fresh(ENTRY_PREFIXES.subscriptions),
      type: 'subscriptions.create',
      ...{ seed: freshSeed(ids), url: body.url },
      ...(body.events === undefined ? {} : { events: body.events }),
    } as const;
    return changing(call, command);
  },
});

const changeSubscription = apiRoute({
  method: 'POST',
  path: '/panel/api/subscriptions/{id}',
  operationId: 'changeSubscription',
  summary: 'Muda uma assinatura: endereço, eventos, ativa ou não.',
  tag: TAG,
  body: requestObject({
    enabled: v.optional(booleanField),
    url: v.optional(url),
    events: v.optional(events),
  }),
  bodyExample: { enabled: true },
  answers,
  run(call) {
    const { ids, params, body } = call;
    const command = {
      id: ids.fresh('cmd'),
      type: 'subscriptions.change',
      seed: freshSeed(ids),
      subscriptionId: params.id ?? '',
      ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
      ...(body.url === undefined ? {} : { url: body.url }),
      ...(body.events === undefined ? {} : { events: body.events }),
    } as const;
    return changing(call, command);
  },
});

/** The former secret is good for a day. */
const rotateSubscription = apiRoute({
  method: 'POST',
  path: '/panel/api/subscriptions/{id}/rotate',
  operationId: 'rotateSubscription',
  summary: 'Troca o segredo de uma assinatura e mostra o novo, só desta vez.',
  tag: TAG,
  answers,
  answersSecret: true,
  run(call) {
    const { ids, params } = call;
    const { id: subscriptionId = '' } = params;
    const seed = freshSeed(ids);
    const type = 'subscriptions.rotate';
    return changing(call, { id: ids.fresh('cmd'), type, seed, subscriptionId });
  },
});

export const SUBSCRIPTION_ROUTES: readonly ApiRoute[] = [
  listSubscriptions,
  createSubscription,
  changeSubscription,
  rotateSubscription,
];
