/** `recado panel link`: a single-use link into the panel, for a member or for the operator. */
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import * as v from 'valibot';
import { personId } from '../../../../shared/entity-ids.ts';
import { timestamp } from '../../../../shared/wire/outbox.ts';
import { OPERATOR } from '../../../../shared/wire/person-commands.ts';
import { group } from '../output/group.ts';
import { ORG } from '../output/lists.ts';
import type { Printing } from '../output/printing.ts';
import { readAnswer } from '../service/answer.ts';
import { badInput, ServiceFailed } from '../service/failure.ts';
import { findOrganization } from '../service/organizations.ts';
import { panelAddress } from '../service/panel-reports.ts';
import type { Service } from '../service/service.ts';
import { findMember } from './members.ts';

const SECRET_BYTES = 32;

interface LinkOptions {
  readonly org?: string;
  readonly member?: string;
  readonly operator?: boolean;
}

const madeSchema = v.object({ expiresAt: v.number() });

/**
 * The token is printed only this once, and only its digest travels. The address is that of a panel
 * which answers: the actors know one by their own settings, and nothing may listen there.
 */
async function makeLink(service: Service, options: LinkOptions) {
  const { key, to } = await linkTarget(service, options);
  const panelUrl = await panelAddress(service);
  if (panelUrl === null) throw new ServiceFailed('no panel answers; start one, then ask again');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const command = { type: 'make-link', digest: service.ids.digest(secret), to } as const;
  const answer = await service.ask({ kind: 'person', key }, command);
  const { expiresAt } = readAnswer(madeSchema, answer);
  return { url: `${panelUrl}/entrar#${key}.${secret}`, expiresAt: timestamp(expiresAt) };
}

async function linkTarget(service: Service, { org, member, operator }: LinkOptions) {
  if (operator === true) {
    if (member !== undefined) throw badInput('--operator', 'is not for a member');
    return { key: OPERATOR, to: null };
  }
  if (member === undefined) throw badInput('--member', 'is required, or --operator');
  const found = await findMember(service, await findOrganization(service, org), member);
  if (found.disabled) throw badInput('--member', `"${member}" is disabled`);
  const { orgId, id: memberId } = found;
  return { key: personId(service.ids, found), to: { orgId, memberId } };
}

export function addPanel(program: Command, printing: Printing): void {
  group(program, 'panel', 'the panel, where people work')
    .command('link')
    .description('makes a link that signs in once, within 15 minutes, and prints it')
    .option(...ORG)
    .option('--member <member>', 'ref or id of the member who signs in')
    .option('--operator', 'signs in the operator of the installation, for an hour')
    .action((options: LinkOptions) => printing.show((service) => makeLink(service, options)));
}
