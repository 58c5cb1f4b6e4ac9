/** A phone of the command line, read as the API reads one. */
import * as v from 'valibot';
import { readAnswer } from './answer.ts';
import { badInput } from './failure.ts';
import type { Service } from './service.ts';

const foundSchema = v.object({ onRecord: v.array(v.string()) });

/** @throws {BadInput} where the text is no phone, or may be that of two contacts */
export async function phoneMeant(
  service: Service,
  { id: orgId, country }: { readonly id: string; readonly country: string },
  { option, text }: { readonly option: string; readonly text: string },
): Promise<string> {
  const { candidatesOf, choosePhone, readPhone } = await import('../../../../shared/text/phone.ts');
  const reading = readPhone(text, country);
  const none = () => badInput(option, `"${text}" is not a phone number`);
  if (reading === null) throw none();
  if ('phone' in reading) return reading.phone;
  const { shown, national } = reading;
  const phones = candidatesOf(reading);
  const found = await service.query('phones-on-record', { orgId, phones });
  const chosen = choosePhone(reading, readAnswer(foundSchema, found).onRecord, 'write');
  if (chosen === null) throw none();
  if (chosen !== 'ambiguous') return chosen.phone;
  throw badInput(option, `"${text}" may be +${shown} or +${national}: write it with its +`);
}
