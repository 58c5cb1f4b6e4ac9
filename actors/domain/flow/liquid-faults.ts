/** The template library's words for what it cannot read, as codes; any others stay as they are. */
import type { LiquidFault } from '../../../shared/problems/provisioning.ts';

type Reading = readonly [form: RegExp, fault: (first: string, second: string) => LiquidFault];

const READINGS: readonly Reading[] = [
  [
    /^tag "(.*?)" not found(.*)$/s,
    (name, place) => ({ code: 'liquidTag', params: { name, place } }),
  ],
  [
    /^tag (.*?) not closed(.*)$/s,
    (tag, place) => ({ code: 'liquidTagOpen', params: { tag, place } }),
  ],
  [
    /^output "(.*?)" not closed(.*)$/s,
    (output, place) => ({ code: 'liquidOutputOpen', params: { output, place } }),
  ],
  [/^undefined filter: (.*)$/s, (name) => ({ code: 'liquidFilter', params: { name } })],
  [/^unexpected token (.*)$/s, (token) => ({ code: 'liquidToken', params: { token } })],
  [
    /^invalid value expression: (.*)$/s,
    (expression) => ({ code: 'liquidValue', params: { expression } }),
  ],
];

export function liquidFault(text: string): LiquidFault {
  for (const [form, fault] of READINGS) {
    const [whole, first = '', second = ''] = form.exec(text) ?? [];
    if (whole !== undefined) return fault(first, second);
  }
  return { code: 'foreign', params: { text } };
}
