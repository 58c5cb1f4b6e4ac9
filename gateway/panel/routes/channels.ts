/** Rows of channels: their state and backlog, and for admins their keys and addresses. */
import * as v from 'valibot';
import type { ChannelBacklog } from '../../../shared/api/channel.ts';
import { requestObject, wholeBetween } from '../../../shared/api/fields.ts';
import { failure } from '../../../shared/failures.ts';
import { BACKLOG_COUNTED_MAX } from '../../../shared/limits.ts';
import { isAllowed } from '../../../shared/panel/roles.ts';
import { ACCESSES } from '../../../shared/vocabulary.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import type { CancelBulk } from '../../../shared/wire/commands.ts';
import type { Backlog } from '../../../shared/wire/panel-queries.ts';
import { jsonReply, type Reply, refusalReply } from '../../http/respond.ts';
import { type ApiRoute, apiRoute, type Call } from '../../route.ts';
import { ANY_ANSWER as answers } from './any-answer.ts';
import { keyCreated, keyName, keyTerms } from './keys.ts';
import { toOrganization } from './operator-commands.ts';

const TAG = 'Canais';

const ChannelsSchema = v.object({
  data: v.array(
    v.looseObject({
      id: v.string(),
      network: v.unknown(),
      inboundWebhookUrl: v.string(),
      networkWebhookUrl: v.string(),
    }),
  ),
});
type Channels = v.InferOutput<typeof ChannelsSchema>['data'];

const KeysSchema = v.object({
  data: v.array(
    v.object({
      ...{ id: v.string(), name: v.string(), prefix: v.string() },
      channelId: v.nullable(v.string()),
      access: v.picklist(ACCESSES),
      assistant: v.boolean(),
      createdAt: v.string(),
      expiresAt: v.nullable(v.string()),
      lastUsedAt: v.nullable(v.string()),
      revokedAt: v.nullable(v.string()),
    }),
  ),
});
type Keys = v.InferOutput<typeof KeysSchema>['data'];

const describeChannels = apiRoute({
  method: 'GET',
  path: '/panel/api/channels',
  operationId: 'describeChannels',
  summary: 'Lista os canais, com o seu estado e a sua fila.',
  tag: TAG,
  answers,
  async run(call) {
    const { caller, ids, ask } = call;
    const command = { id: ids.fresh('cmd'), type: 'entries.list', list: 'channels' } as const;
    const listed = await ask(toOrganization(caller, command));
    if (listed.status !== 200) return listed;
    const { data } = v.parse(ChannelsSchema, bodyOf(listed));
    const payload = { channelIds: data.map(({ id }) => id) };
    const answer = await ask({ to: 'query', resource: 'backlogs', payload });
    if (answer.status !== 200) return answer;
    return withKeys(call, data, bodyOf(answer).found);
  },
});

/** Keys, addresses and settings are shown to those who may make a key. */
async function withKeys(
  { caller, ids, ask }: Call<unknown, unknown>,
  channels: Channels,
  backlogs: readonly Backlog[],
): Promise<Reply> {
  const waiting = new Map(backlogs.map(({ channelId, backlog }) => [channelId, sumOf(backlog)]));
  const integrates = caller.member && isAllowed(caller.member.role, 'createChannelKey');
  if (!integrates) {
    const data = channels.map(({ network, inboundWebhookUrl, networkWebhookUrl, ...channel }) => {
      return { ...channel, ...waiting.get(channel.id) };
    });
    return jsonReply(200, { data });
  }
  const command = { id: ids.fresh('cmd'), type: 'keys.list' } as const;
  const listed = await ask(toOrganization(caller, command));
  if (listed.status !== 200) return listed;
  const keys = v.parse(KeysSchema, bodyOf(listed)).data;
  const data = channels.map((channel) => {
    return { ...channel, ...waiting.get(channel.id), keys: liveKeysOf(keys, channel.id) };
  });
  return jsonReply(200, { data });
}

/** The whole queue, and what of it waits in bulk. */
function sumOf({ reply, normal, bulk }: ChannelBacklog) {
  const parts = [reply, normal, bulk];
  const counted = parts.reduce((sum, { queued }) => sum + queued, 0);
  const [oldestQueuedAt = null] = parts.flatMap((part) => part.oldestQueuedAt ?? []).sort();
  return {
    queued: Math.min(counted, BACKLOG_COUNTED_MAX),
    more: counted > BACKLOG_COUNTED_MAX || parts.some(({ more }) => more),
    ...{ oldestQueuedAt, bulk },
  };
}

function liveKeysOf(keys: Keys, wanted: string) {
  return keys
    .filter(({ channelId, revokedAt }) => channelId === wanted && revokedAt === null)
    .map(({ channelId: _c, revokedAt: _r, ...key }) => key);
}

const createChannelKey = apiRoute({
  method: 'POST',
  path: '/panel/api/channels/{id}/keys',
  operationId: 'createChannelKey',
  summary: 'Cria uma chave do canal e mostra o seu token, só desta vez.',
  tag: TAG,
  body: requestObject({ name: keyName, ...keyTerms }),
  bodyExample: { name: 'Site' },
  answers,
  answersSecret: true,
  run(call) {
    const { id: channelId = '' } = call.params;
    return keyCreated(call, { ...call.body, scope: 'channel', channelId });
  },
});

const cancelBulk = apiRoute({
  method: 'POST',
  path: '/panel/api/channels/{id}/cancel-bulk',
  operationId: 'cancelBulk',
  summary: 'Cancela algumas das mensagens em massa da fila; repita enquanto houver mais.',
  tag: TAG,
  body: requestObject({ before: v.nullable(wholeBetween(0, Number.MAX_SAFE_INTEGER)) }),
  bodyExample: { before: null },
  answers,
  async run({ caller, ids, params, body, ask }) {
    const { orgId, channels } = caller;
    const channel = channels.find(({ id }) => id === params.id);
    if (!channel) return refusalReply(failure('channel_not_found'));
    const named = { id: ids.fresh('cmd'), type: 'cancel-bulk' } as const;
    const command: CancelBulk = { ...named, orgId, before: body.before };
    const address = { kind: 'channel', key: channel.id } as const;
    const answer = await ask({ to: 'actor', address, command });
    return answer.status === 200 ? jsonReply(200, { data: bodyOf(answer) }) : answer;
  },
});

export const CHANNEL_ROUTES: readonly ApiRoute[] = [describeChannels, createChannelKey, cancelBulk];
