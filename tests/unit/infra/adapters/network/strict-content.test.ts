/**
 * Every content that the API accepts passes the strict stand-ins of both networks. The limits are
 * those of the API's own schemas: each sample is first accepted by them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  ContactCardsBody,
  InteractiveBody,
  LocationBody,
  ReactionBody,
} from '../../../../../shared/api/message-content.ts';
import { INTERACTIVE } from '../../../../../shared/interactive-limits.ts';
import { CONTACT_CARDS_MAX, LOCATION_TEXT_MAX_CHARS } from '../../../../../shared/limits.ts';
import type { TemplateMessage } from '../../../../../shared/message-content.ts';
import type { OutboundContent, SendOutcome } from '../../../../../shared/ports/network.ts';
import {
  channelOf,
  useNetworkFixture,
} from '../../../../support/infra/adapters/network/network-fixture.ts';

const RUNS = 60;
const ADDRESS = { messageId: 'msg_1', to: '5511988887777' };

/** A text whose length lies at its limits more often than by chance. */
function textUpTo(max: number, min = 1): fc.Arbitrary<string> {
  const unit = fc.constantFrom('a', 'ç', ' ', '9', '😀', '"', '\\', '{', '\n', "'");
  const sized = (size: number) => fc.array(unit, { minLength: size, maxLength: size });
  const lengths = fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max: Math.min(max, 40) }));
  return lengths.chain(sized).map((units) => units.join(''));
}

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const frame = {
  header: optional(textUpTo(INTERACTIVE.HEADER_MAX_CHARS)),
  footer: optional(textUpTo(INTERACTIVE.FOOTER_MAX_CHARS)),
};
const buttonTitle = textUpTo(INTERACTIVE.BUTTON_TITLE_MAX_CHARS);
const buttons = fc.record({
  ...{ type: fc.constant('buttons'), text: textUpTo(INTERACTIVE.TEXT_MAX_CHARS), ...frame },
  buttons: fc.uniqueArray(
    fc.record({
      id: textUpTo(INTERACTIVE.BUTTON_ID_MAX_CHARS).filter((id) => id.trim() === id),
      title: buttonTitle,
    }),
    {
      ...{ minLength: 1, maxLength: INTERACTIVE.BUTTONS_MAX },
      comparator: (a, b) => a.id === b.id || a.title === b.title,
    },
  ),
});
const row = fc.record({
  id: textUpTo(INTERACTIVE.ROW_ID_MAX_CHARS),
  title: textUpTo(INTERACTIVE.ROW_TITLE_MAX_CHARS),
  description: optional(textUpTo(INTERACTIVE.ROW_DESCRIPTION_MAX_CHARS)),
});
/** Rows in sections of their own, or all in one that may have no title. */
const list = fc
  .record({
    ...{ type: fc.constant('list'), text: textUpTo(INTERACTIVE.LIST_TEXT_MAX_CHARS), ...frame },
    button: buttonTitle,
    rows: fc.uniqueArray(row, {
      ...{ minLength: 1, maxLength: INTERACTIVE.ROWS_MAX, selector: ({ id }) => id },
    }),
    titles: fc.array(textUpTo(INTERACTIVE.ROW_TITLE_MAX_CHARS), {
      ...{ minLength: INTERACTIVE.ROWS_MAX, maxLength: INTERACTIVE.ROWS_MAX },
    }),
    split: fc.boolean(),
  })
  .map(({ rows, titles, split, ...rest }) => ({
    ...rest,
    sections: split ? rows.map((each, at) => ({ title: titles[at], rows: [each] })) : [{ rows }],
  }));
const url = fc.record({
  ...{ type: fc.constant('url'), text: textUpTo(INTERACTIVE.TEXT_MAX_CHARS), ...frame },
  title: buttonTitle,
  url: fc.webUrl({ withQueryParameters: true, withFragments: true }),
});
const interactive = fc.oneof(buttons, list, url).map(accepted(InteractiveBody));

const emoji = fc.constantFrom('', '👍', '👍🏽', '❤️', '🇧🇷', '1️⃣', '👨‍👩‍👧‍👦');
const reaction = fc.record({ messageId: fc.constant('msg_T'), emoji }).map(accepted(ReactionBody));

const degrees = (max: number) =>
  fc.double({ min: -max, max, noNaN: true, noDefaultInfinity: true });
const placeText = optional(textUpTo(LOCATION_TEXT_MAX_CHARS));
const location = fc
  .record({ latitude: degrees(90), longitude: degrees(180), name: placeText, address: placeText })
  .map(accepted(LocationBody));

const phone = fc.oneof(
  fc.constantFrom('+55 (31) 97777-6666', '5531977776666', '31 9777', 'ramal 12'),
  textUpTo(39, 3).map((text) => `${text}1`),
);
const contacts = fc
  .array(
    fc.record({
      name: textUpTo(120),
      phones: fc.array(phone, { minLength: 1, maxLength: 10 }),
      email: optional(fc.constant('bia@example.com')),
      organization: optional(textUpTo(120)),
    }),
    { minLength: 1, maxLength: CONTACT_CARDS_MAX },
  )
  .map(accepted(ContactCardsBody));

function accepted<S extends v.GenericSchema>(schema: S) {
  return (sample: unknown): v.InferOutput<S> => {
    const given = v.safeParse(schema, JSON.parse(JSON.stringify(sample)));
    assert.ok(given.success, JSON.stringify(given.issues?.map(({ message }) => message)));
    return given.output;
  };
}

describe('content that the API accepts', () => {
  const fixture = useNetworkFixture();

  const sent = (provider: 'cloud' | 'web', content: object): Promise<SendOutcome> => {
    const message = { ...ADDRESS, ...content } as OutboundContent;
    return fixture.networks.driver(provider).sendContent(channelOf(provider), message);
  };
  const isTaken = async (provider: 'cloud' | 'web', content: object): Promise<void> => {
    const outcome = await sent(provider, content);
    assert.equal(outcome.outcome, 'accepted', JSON.stringify(outcome));
  };
  const property = <T>(samples: fc.Arbitrary<T>, holds: (sample: T) => Promise<void>) =>
    fc.assert(fc.asyncProperty(samples, holds), { numRuns: RUNS });

  it('cloud takes every interactive message', () =>
    property(interactive, (each) => isTaken('cloud', { type: 'interactive', interactive: each })));

  it('cloud takes every reaction', () =>
    property(reaction, (each) => {
      const target = { externalId: 'wamid.T', fromMe: false };
      return isTaken('cloud', { type: 'reaction', emoji: each.emoji, target });
    }));

  for (const provider of ['cloud', 'web'] as const) {
    it(`${provider} takes every place, quoted or not`, () =>
      property(fc.tuple(location, fc.boolean()), async ([each, quotes]) => {
        const quoted = quotes ? { replyTo: 'wamid.Q' } : {};
        await isTaken(provider, { type: 'location', location: each, ...quoted });
      }));

    it(`${provider} takes all cards`, () =>
      property(contacts, async (each) => {
        await isTaken(provider, { type: 'contacts', contacts: each });
      }));
  }

  const value = fc.constantFrom('a', 'Ana', '77', 'Não', '😀');
  const template: fc.Arbitrary<TemplateMessage> = fc.record({
    name: fc.constant('no_such_template'),
    language: fc.constantFrom('pt_BR', 'en_US'),
    body: fc.array(fc.record({ text: value })),
    buttons: fc.uniqueArray(
      fc.record({
        index: fc.integer({ min: 0, max: 9 }),
        type: fc.constantFrom('url', 'quick_reply', 'copy_code'),
        value,
      }),
      { selector: ({ index }) => index, maxLength: 10 },
    ),
  });

  it('cloud finds nothing wrong with a template’s request, but that there is none', () =>
    property(template, async (each) => {
      const outcome = await sent('cloud', { type: 'template', template: each });
      assert.ok(outcome.outcome === 'refused', JSON.stringify(outcome));
      assert.equal(outcome.code, '132001');
    }));
});
