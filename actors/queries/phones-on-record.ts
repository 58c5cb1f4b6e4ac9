/** Which numbers are contacts: bare digits may be a foreign contact's number (D308). */
import { otherSpellings } from '../../shared/text/phone-spellings.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import { recordOnce } from '../idempotency/calls.ts';
import type { Query } from './lists/answer.ts';

export const findPhones: Query<'phones-on-record'> = async (environment, query) => {
  const { orgId, phones, claim } = query;
  const spellings = phones.flatMap((phone) => [phone, ...otherSpellings(phone)]);
  const filter = { orgId, phone: { $in: [...new Set(spellings)] } };
  const options = { index: { orgId: 1, phone: 1 }, project: { phone: 1 } } as const;
  const found = await environment.store.find('contacts', filter, options);
  const onRecord = [...new Set(found.map(({ phone }) => phone))];
  return answerOf({ onRecord: claim ? await recordOnce(environment, claim, onRecord) : onRecord });
};
