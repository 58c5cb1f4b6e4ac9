/**
 * Methods of the Model Context Protocol that call no row, by revision. Revision 2026-07-28 has no
 * handshake and no `ping`; its results have the server's name, and hints for caches.
 */

import { VERSION } from '../../shared/version.ts';
import type { Caller } from '../../shared/wire/caller.ts';
import type { Reply } from '../http/respond.ts';
import { errorReply, resultReply } from './json-rpc.ts';
import {
  HANDSHAKE_VERSIONS,
  type McpNotification,
  type McpRequest,
  SERVER_META,
  VERSIONS,
} from './message.ts';
import { toolsFor } from './tools.ts';

type Values = Readonly<Record<string, unknown>>;

const SERVER = { name: 'recado', title: 'Recado', version: VERSION };
const CAPABILITIES = { tools: {} };
/** The tools change with the version of the service, and with the key's scope and access. */
const FRESH_MS = 60 * 60 * 1000;

const INSTRUCTIONS = [
  'Atendimento de uma organização: mensagens, contatos, conversas, fluxos, negócios e tarefas.',
  'As ferramentas são as chamadas da API, com os mesmos limites e as mesmas frases.',
  '`sendMessage` e `startFlow` chegam a pessoas reais.',
  'Uma recusa traz `status` e `error`; num 422, `issues` aponta cada argumento.',
].join(' ');

/** The answer to a message of an admitted caller. */
export function answerOf(message: McpRequest | McpNotification, caller: Caller): Reply {
  if (message.id === null) return { status: 202, body: '' };
  if (message.method === 'tools/list') return listTools(message, caller);
  return message.modern ? answerModern(message) : answerHandshake(message);
}

function answerModern(request: McpRequest): Reply {
  if (request.method !== 'server/discover') return errorReply(request.id, 'absentMethod');
  return complete(request, {
    supportedVersions: VERSIONS,
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    ttlMs: FRESH_MS,
    cacheScope: 'public',
  });
}

function answerHandshake(request: McpRequest): Reply {
  const { id, method, params } = request;
  if (method === 'ping') return complete(request, {});
  if (method !== 'initialize') return errorReply(id, 'unknownMethod');
  const { protocolVersion: wanted } = params;
  if (typeof wanted !== 'string') return errorReply(id, 'versionExpected');
  return complete(request, {
    protocolVersion: HANDSHAKE_VERSIONS.find((each) => each === wanted) ?? HANDSHAKE_VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo: SERVER,
    instructions: INSTRUCTIONS,
  });
}

function listTools(request: McpRequest, caller: Caller): Reply {
  const { id, params, modern } = request;
  if (params.cursor !== undefined) return errorReply(id, 'unknownCursor');
  const hints = modern ? { ttlMs: FRESH_MS, cacheScope: 'private' } : {};
  return complete(request, { tools: toolsFor(caller), ...hints });
}

/** A result in the form of the request's revision. */
export function complete({ id, modern }: McpRequest, result: Values): Reply {
  if (!modern) return resultReply(id, result);
  const meta = typeof result._meta === 'object' ? result._meta : {};
  const named = { ...meta, [SERVER_META]: SERVER };
  return resultReply(id, { resultType: 'complete', ...result, _meta: named });
}
