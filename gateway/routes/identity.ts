/** GET /api/v1/me (C4.3). */

import { IdentityAnswer } from '../../shared/api/identity.ts';
import type { DescribeKey } from '../../shared/wire/commands.ts';
import { apiRoute, type Route } from '../route.ts';
import { IDENTITY } from './examples.ts';

export const IDENTITY_ROUTES: readonly Route[] = [
  apiRoute({
    method: 'GET',
    path: '/api/v1/me',
    operationId: 'getMe',
    summary: 'Confere a chave: organização, escopo e dados da chave.',
    description:
      'Uma chave de conta alcança todos os canais; uma chave de canal, apenas o seu. `access` diz ' +
      'o que ela pode chamar: `read` lê, `send` também envia, `full` tudo.',
    tag: 'Chave',
    answers: {
      200: { description: 'A chave.', schema: IdentityAnswer, example: { data: IDENTITY } },
    },
    plan({ caller, ids }) {
      const command: DescribeKey = { id: ids.fresh('cmd'), type: 'me', keyId: caller.keyId };
      return { to: 'actor', address: { kind: 'organization', key: caller.orgId }, command };
    },
  }),
];
