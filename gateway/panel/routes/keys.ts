/** Rows of API keys: a token is in the answer that creates it, and nowhere else. */
import * as v from 'valibot';
import {
  anyIdText,
  booleanField,
  choice,
  momentText,
  nameBetween,
  requestObject,
} from '../../../shared/api/fields.ts';
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { failure, invalid } from '../../../shared/failures.ts';
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import { ACCESSES, type Access, SCOPES, type Scope } from '../../../shared/vocabulary.ts';
import { type Reply, refusalReply } from '../../http/respond.ts';
import { type ApiRoute, apiRoute, type Call } from '../../route.ts';
import { ANY_ANSWER as answers } from './any-answer.ts';
import { answeredAs, freshSeed, toOrganization } from './operator-commands.ts';

const TAG = 'Integrações';
const KEY_NAME_MAX_CHARS = 120;

export const keyName = v.pipe(
  nameBetween(1, KEY_NAME_MAX_CHARS),
  v.check((name) => name.trim() !== '', SENTENCES.empty),
);

/** What a new key may do, until when, and for whom. */
export const keyTerms = {
  access: v.optional(choice(ACCESSES)),
  expiresAt: v.optional(momentText),
  assistant: v.optional(booleanField),
};

interface WantedKey {
  readonly name: string;
  readonly scope: Scope;
  readonly access?: Access | undefined;
  readonly expiresAt?: string | undefined;
  readonly assistant?: boolean | undefined;
  readonly channelId?: string | undefined;
}

export async function keyCreated(
  { caller, ids, ask }: Call<unknown, unknown>,
  { name, scope, channelId: channel, access, expiresAt, assistant }: WantedKey,
): Promise<Reply> {
  if (channel !== undefined && !caller.channels.some(({ id }) => id === channel)) {
    return refusalReply(failure('channel_not_found'));
  }
  const command = {
    id: ids.fresh(ENTRY_PREFIXES.keys),
    type: 'keys.create',
    ...{ seed: freshSeed(ids), name, scope, access, expiresAt, assistant },
    ...(channel === undefined ? {} : { channel }),
  } as const;
  return answeredAs('key_not_found', await ask(toOrganization(caller, command)));
}

const listKeys = apiRoute({
  method: 'GET',
  path: '/panel/api/keys',
  operationId: 'listKeys',
  summary: 'Lista as chaves, com o último uso de cada uma.',
  tag: TAG,
  answers,
  plan: ({ caller, ids }) => toOrganization(caller, { id: ids.fresh('cmd'), type: 'keys.list' }),
});

const createKey = apiRoute({
  method: 'POST',
  path: '/panel/api/keys',
  operationId: 'createKey',
  summary: 'Cria uma chave e mostra o seu token, só desta vez.',
  tag: TAG,
  body: requestObject({
    name: keyName,
    scope: choice(SCOPES),
    channelId: v.optional(anyIdText),
    ...keyTerms,
  }),
  bodyExample: { name: 'Site', scope: 'account', access: 'send' },
  answers,
  answersSecret: true,
  async run(call) {
    const { scope, channelId } = call.body;
    if ((scope === 'channel') !== (channelId !== undefined)) {
      const message = scope === 'channel' ? SENTENCES.required : SENTENCES.channelNotNamed;
      return refusalReply(invalid({ path: 'channelId', message }));
    }
    return keyCreated(call, call.body);
  },
});

const revokeKey = apiRoute({
  method: 'POST',
  path: '/panel/api/keys/{id}/revoke',
  operationId: 'revokeKey',
  summary: 'Revoga uma chave: ela deixa de valer na hora.',
  tag: TAG,
  answers,
  async run({ caller, ids, params, ask }) {
    const { id: keyId = '' } = params;
    const command = { id: ids.fresh('cmd'), type: 'keys.revoke', keyId } as const;
    return answeredAs('key_not_found', await ask(toOrganization(caller, command)));
  },
});

export const KEY_ROUTES: readonly ApiRoute[] = [listKeys, createKey, revokeKey];
