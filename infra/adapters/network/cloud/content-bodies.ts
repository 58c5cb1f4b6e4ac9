/**
 * Bodies of messages other than text and media, as `POST /{phoneNumberId}/messages` takes them.
 * Every property is one that Meta documents; a stand-in of the network refuses any other.
 *
 * 1. Sources: Meta, Messages (template, interactive, reaction, location and contacts messages);
 *    Meta's OpenAPI description v23.0 (github.com/facebook/openapi); `pywa` 4.4.0, `api.py` and
 *    `types/templates.py` (github.com/david-lev/pywa).
 * 2. A reaction answers no message: it names its target itself, and takes no `context`.
 */

import type {
  ContactCard,
  Interactive,
  Location,
  TemplateButton,
  TemplateMessage,
  TemplateParameter,
} from '../../../../shared/message-content.ts';
import type { OutboundContent } from '../../../../shared/ports/network.ts';

type Body = Readonly<Record<string, unknown>>;
type Sent<Type extends OutboundContent['type']> = Extract<OutboundContent, { type: Type }>;

/** The property `type` and the one that it names. */
export function contentPart(message: OutboundContent): Body {
  switch (message.type) {
    case 'template':
      return { type: 'template', template: templateBody(message) };
    case 'interactive':
      return { type: 'interactive', interactive: interactiveBody(message.interactive) };
    case 'reaction':
      return { type: 'reaction', reaction: reactionBody(message) };
    case 'location':
      return { type: 'location', location: locationBody(message.location) };
    case 'contacts':
      return { type: 'contacts', contacts: message.contacts.map(contactBody) };
    default:
      return message satisfies never;
  }
}

/** `context` of a message that quotes another one. */
export function quoteOf({ type, replyTo }: OutboundContent): Body {
  return replyTo === undefined || type === 'reaction' ? {} : { context: { message_id: replyTo } };
}

function templateBody({ template, header }: Sent<'template'>): Body {
  const { name, language, body, buttons } = template;
  const components = [
    ...headerComponent(template, header),
    ...(body.length === 0 ? [] : [{ type: 'body', parameters: body.map(textParameter) }]),
    ...buttons.map(buttonComponent),
  ];
  const filled = components.length === 0 ? {} : { components };
  return { name, language: { policy: 'deterministic', code: language }, ...filled };
}

function headerComponent({ header }: TemplateMessage, file: Sent<'template'>['header']): Body[] {
  if (file !== undefined) return [{ type: 'header', parameters: [mediaParameter(file)] }];
  return header === undefined ? [] : [{ type: 'header', parameters: [textParameter(header)] }];
}

/** A header's file has no caption; only a document has a name. */
function mediaParameter({ kind, fileName, content }: NonNullable<Sent<'template'>['header']>) {
  const id = 'uploadId' in content ? content.uploadId : '';
  const named = kind === 'document' && fileName !== null ? { filename: fileName } : {};
  return { type: kind, [kind]: { id, ...named } };
}

function textParameter({ text, parameter }: TemplateParameter): Body {
  return { type: 'text', ...(parameter === undefined ? {} : { parameter_name: parameter }), text };
}

/** The position is a text of digits. */
function buttonComponent({ type, index, value }: TemplateButton): Body {
  return {
    type: 'button',
    sub_type: type,
    index: String(index),
    parameters: [BUTTON_PARAMETERS[type](value)],
  };
}

const BUTTON_PARAMETERS: Readonly<Record<TemplateButton['type'], (value: string) => Body>> = {
  url: (text) => ({ type: 'text', text }),
  quick_reply: (payload) => ({ type: 'payload', payload }),
  copy_code: (code) => ({ type: 'coupon_code', coupon_code: code }),
};

function interactiveBody(interactive: Interactive): Body {
  const { text, header, footer } = interactive;
  const frame = {
    ...(header === undefined ? {} : { header: { type: 'text', text: header } }),
    body: { text },
    ...(footer === undefined ? {} : { footer: { text: footer } }),
  };
  switch (interactive.type) {
    case 'buttons': {
      const buttons = interactive.buttons.map(({ id, title }) => ({
        type: 'reply',
        reply: { id, title },
      }));
      return { type: 'button', ...frame, action: { buttons } };
    }
    case 'list': {
      const { button } = interactive;
      const sections = interactive.sections.map(sectionBody);
      return { type: 'list', ...frame, action: { button, sections } };
    }
    case 'url': {
      const parameters = { display_text: interactive.title, url: addressOf(interactive.url) };
      return { type: 'cta_url', ...frame, action: { name: 'cta_url', parameters } };
    }
    default:
      return interactive satisfies never;
  }
}

/** The network takes no spaces, which a URL may be written with. */
function addressOf(url: string): string {
  return /\s/.test(url) ? (URL.parse(url)?.href ?? url) : url;
}

type Section = Extract<Interactive, { type: 'list' }>['sections'][number];

function sectionBody({ title, rows }: Section): Body {
  return {
    ...(title === undefined ? {} : { title }),
    rows: rows.map(({ id, title: rowTitle, description }) => {
      return { id, title: rowTitle, ...(description === undefined ? {} : { description }) };
    }),
  };
}

function reactionBody({ emoji, target }: Sent<'reaction'>): Body {
  return { message_id: target.externalId, emoji };
}

function locationBody({ latitude, longitude, name, address }: Location): Body {
  return {
    latitude,
    longitude,
    ...(name === undefined ? {} : { name }),
    ...(address === undefined ? {} : { address }),
  };
}

/** A name needs one part beside its whole form. With `wa_id` the card opens a chat. */
function contactBody({ name, phones, email, organization }: ContactCard): Body {
  return {
    name: { formatted_name: name, first_name: name },
    phones: phones.map((phone) => ({ phone, type: 'WORK', ...chatOf(phone) })),
    ...(email === undefined ? {} : { emails: [{ email, type: 'WORK' }] }),
    ...(organization === undefined ? {} : { org: { company: organization } }),
  };
}

/** Shorter ones, written without `+`, may lack the country: a chat with someone else's number. */
const WHOLE_NUMBER = /^(?:\+\d{8,15}|\d{12,15})$/;

function chatOf(phone: string): Body {
  const written = phone.replace(/[\s().-]/g, '');
  return WHOLE_NUMBER.test(written) ? { wa_id: written.replace('+', '') } : {};
}
