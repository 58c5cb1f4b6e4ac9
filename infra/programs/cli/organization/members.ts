/** `recado members list|invite|role|disable|enable`. */
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import * as v from 'valibot';
import {
  MEMBER_ROLE_DEFAULT,
  MEMBER_ROLES,
  type MemberRole,
} from '../../../../shared/vocabulary.ts';
import { group } from '../output/group.ts';
import { addList, ORG } from '../output/lists.ts';
import type { Row } from '../output/print.ts';
import type { Printing } from '../output/printing.ts';
import { listSchema, readAnswer } from '../service/answer.ts';
import { badInput } from '../service/failure.ts';
import { operatorAs } from '../service/operator.ts';
import { askOrganization, findOrganization, named } from '../service/organizations.ts';
import type { CommandDraft, Service } from '../service/service.ts';

const SEED_BYTES = 32;
/** As the mail names the user of this command line. */
const INVITER = 'Operador';
const MEMBER = ['--member <member>', 'ref or id of the member'] as const;

const memberSchema = v.object({
  ...{ id: v.string(), ref: v.string(), name: v.string(), email: v.nullable(v.string()) },
  ...{ role: v.picklist(MEMBER_ROLES), disabled: v.boolean() },
});
const answerSchema = v.object({ data: memberSchema });
const invitationSchema = v.object({ url: v.string(), expiresAt: v.string(), mailed: v.boolean() });

interface MemberOptions {
  readonly org?: string;
  readonly member: string;
}

interface InviteOptions extends MemberOptions {
  readonly name?: string;
  readonly email?: string;
  readonly role?: string;
}

async function readMembers(service: Service, orgId: string) {
  const answer = await askOrganization(service, orgId, { type: 'entries.list', list: 'members' });
  return readAnswer(listSchema, answer);
}

/** @throws {BadInput} where there is no such member */
export async function findMember(service: Service, orgId: string, name: string) {
  const { data } = await readMembers(service, orgId);
  const member = named(v.parse(v.array(memberSchema), data), name);
  if (!member) throw badInput('--member', `there is no member "${name}"`);
  return { ...member, orgId };
}

async function change(service: Service, orgId: string, command: CommandDraft) {
  return readAnswer(answerSchema, await askOrganization(service, orgId, command)).data;
}

function roleNamed(name: string): MemberRole {
  const role = MEMBER_ROLES.find((each) => each === name);
  if (role) return role;
  throw badInput('--role', `must be one of ${MEMBER_ROLES.join(', ')}`);
}

/** A member who is there is invited again; a new one needs a name and an e-mail. */
async function invite(service: Service, options: InviteOptions): Promise<Row> {
  const orgId = await findOrganization(service, options.org);
  const { data } = await readMembers(service, orgId);
  const known = named(v.parse(v.array(memberSchema), data), options.member);
  const name = options.name ?? known?.name;
  const email = options.email ?? known?.email;
  if (name === undefined) throw badInput('--name', 'is required for a new member');
  if (!email) throw badInput('--email', 'is required: the invitation is mailed');
  const row = await change(service, orgId, {
    ...{ type: 'members.invite', ref: known?.ref ?? options.member, name, email },
    role: roleNamed(options.role ?? known?.role ?? MEMBER_ROLE_DEFAULT),
    ...operatorAs('inviteMember'),
  });
  const seed = randomBytes(SEED_BYTES).toString('base64url');
  const payload = { orgId, memberId: row.id, inviter: INVITER, seed };
  const invitation = readAnswer(v.unknown(), await service.query('send-invitation', payload));
  return { ...row, ...v.parse(invitationSchema, invitation) };
}

async function setRole(
  service: Service,
  { org, member, role }: MemberOptions & { readonly role: string },
): Promise<Row> {
  const by = operatorAs('changeMember');
  const command = { type: 'members.role', member, role: roleNamed(role), ...by } as const;
  return change(service, await findOrganization(service, org), command);
}

async function setDisabled(
  service: Service,
  { org, member }: MemberOptions,
  disabled: boolean,
): Promise<Row> {
  const command = {
    type: 'members.disable',
    member,
    disabled,
    ...operatorAs('changeMember'),
  } as const;
  return change(service, await findOrganization(service, org), command);
}

export function addMembers(program: Command, printing: Printing): void {
  const members = group(program, 'members', "an organization's members");
  addList(members, printing, {
    description: 'lists the members of an organization',
    read: async (service, { org }) => readMembers(service, await findOrganization(service, org)),
    row: ({ id, ref, name, email, role, disabled }) => ({ id, ref, name, email, role, disabled }),
  });
  members
    .command('invite')
    .description(
      'invites a member by mail and prints a link, and makes the member if there is none',
    )
    .option(...ORG)
    .requiredOption(...MEMBER)
    .option('--name <name>', 'of a new member')
    .option('--email <email>', 'of a new member')
    .option('--role <role>', MEMBER_ROLES.join(', '))
    .action((options: InviteOptions) => printing.show((service) => invite(service, options)));
  members
    .command('role')
    .description('sets the role of a member; its next call has it')
    .option(...ORG)
    .requiredOption(...MEMBER)
    .requiredOption('--role <role>', MEMBER_ROLES.join(', '))
    .action((options: MemberOptions & { role: string }) =>
      printing.show((service) => setRole(service, options)),
    );
  for (const [name, description, disabled] of ACCESS) {
    members
      .command(name)
      .description(description)
      .option(...ORG)
      .requiredOption(...MEMBER)
      .action((options: MemberOptions) =>
        printing.show((service) => setDisabled(service, options, disabled)),
      );
  }
}

const ACCESS = [
  ['disable', 'ends the sessions of a member, who cannot sign in from now on', true],
  ['enable', 'lets a disabled member sign in again', false],
] as const;
