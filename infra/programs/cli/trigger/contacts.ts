/** The contact of a trigger, by the command of `POST /api/v1/contacts`. */
import * as v from 'valibot';
import { contactId } from '../../../../shared/entity-ids.ts';
import type { UpsertContact } from '../../../../shared/wire/commands.ts';
import { readAnswer } from '../service/answer.ts';
import { ServiceFailed } from '../service/failure.ts';
import { operatorAs } from '../service/operator.ts';
import type { Service } from '../service/service.ts';
import type { Made, Provocation } from './provocation.ts';
import type { Target } from './target.ts';

/** In the language of the organization's people, who see it. */
const TESTED_AT = 'testado em';

const contactSchema = v.object({
  id: v.string(),
  optIn: v.boolean(),
  optOutAt: v.nullable(v.string()),
  marketingOptOutAt: v.optional(v.string()),
});
type Contact = v.InferOutput<typeof contactSchema>;

/** Null where the phone is no contact's. */
export async function findContact(
  service: Service,
  { orgId, phone }: Target,
): Promise<Contact | null> {
  // With its `+` the country code is no guess.
  const answer = await service.query('contact', { orgId, phone: `+${phone}` });
  return answer.status === 404 ? null : readAnswer(contactSchema, answer);
}

const savedSchema = v.object({ data: contactSchema });

async function saveContact(
  service: Service,
  { orgId, phone }: Target,
  change: Pick<UpsertContact, 'optIn' | 'fields'> = {},
): Promise<Contact> {
  const answer = await service.ask(
    { kind: 'contact', key: contactId(service.ids, orgId, phone) },
    {
      ...{ type: 'upsert', orgId, phone, ...change },
      ...{ source: 'panel', origin: 'panel', ...operatorAs('upsertContact') },
    },
  );
  return readAnswer(savedSchema, answer).data;
}

export async function ensureContact(service: Service, target: Target): Promise<Contact> {
  return (await findContact(service, target)) ?? (await saveContact(service, target));
}

export function isOptedOut({ optIn, optOutAt }: Contact): boolean {
  return !optIn && optOutAt !== null;
}

/** An opt-out that is already in force would be no event. */
export async function endOptOut(service: Service, target: Target): Promise<void> {
  const contact = await findContact(service, target);
  if (contact !== null && isOptedOut(contact)) await saveContact(service, target, { optIn: true });
}

/** As the network would report it: it tells whole seconds, and of two times the later counts. */
export async function endMarketingStop(service: Service, target: Target): Promise<void> {
  const { orgId, phone } = target;
  const contact = await findContact(service, target);
  if (contact?.marketingOptOutAt === undefined) return;
  const at = Math.floor(Date.now() / 1_000) * 1_000;
  const resumed = {
    type: 'opt-marketing',
    orgId,
    phone,
    wanted: true,
    at,
    origin: 'network',
  } as const;
  const answer = await service.ask({ kind: 'contact', key: contact.id }, resumed);
  readAnswer(v.unknown(), answer);
}

/** 555-01XX is kept for fiction. */
const FICTIONAL = Array.from({ length: 100 }, (_, n) => `120255501${String(n).padStart(2, '0')}`);

/** With the target's phone, or with a number that no person has where that one is known. */
export async function createContact({ service, target }: Provocation): Promise<Made> {
  for (const phone of [target.phone, ...FICTIONAL]) {
    if ((await findContact(service, { ...target, phone })) !== null) continue;
    const { id: contactId } = await saveContact(service, { ...target, phone });
    return { contactId, phone };
  }
  throw new ServiceFailed('Each of the numbers is a contact already: name another one by --from.');
}

/** A field with the present time: no earlier value is the same. */
export async function updateContact({ service, target }: Provocation): Promise<Made> {
  await ensureContact(service, target);
  const fields = { [TESTED_AT]: new Date().toISOString() };
  return { contactId: (await saveContact(service, target, { fields })).id };
}
