/** GET /api/v1/members: the team. */
import { ListMembersAnswer, type Member } from '../../shared/api/member.ts';
import { apiRoute, type Route } from '../route.ts';

export const MEMBER: Member = {
  id: 'mbr_9Hj7Gf5Ds3Aq1Wz8Xe6Cr4',
  name: 'Ana Souza',
  role: 'attendant',
  enabled: true,
};

export const MEMBER_ROUTES: readonly Route[] = [
  apiRoute({
    method: 'GET',
    path: '/api/v1/members',
    operationId: 'listMembers',
    summary: 'Lista os membros da equipe em ordem alfabética, sem e-mail.',
    description:
      'Os ids de `assignedTo`, `participants`, `ownerId` e `assigneeId`. Quem tem `enabled: false` ' +
      'não entra mais no painel, e segue com o que é seu.',
    tag: 'Equipe',
    answers: {
      200: {
        description: 'Os membros.',
        schema: ListMembersAnswer,
        example: { data: [MEMBER] },
      },
    },
    plan({ caller: { orgId } }) {
      return { to: 'query', resource: 'team', payload: { orgId } };
    },
  }),
];
