/**
 * The JSON Schema of a provisioning file (`recado apply --schema`): editors complete and check by
 * it. Types and bounds are those of the schema that `apply` itself reads with
 * (shared/provisioning/schema.ts); descriptions, examples and defaults come from the reference.
 */
import { type ConversionConfig, toJsonSchemaDefs } from '@valibot/to-json-schema';
import { PROVIDER_RULES } from '../../../../shared/provisioning/defaults.ts';
import { conditionSchema } from '../../../../shared/provisioning/flow-conditions.ts';
import {
  buttonsSchema,
  cardSchema,
  listSchema,
  locationSchema,
  reactionSchema,
  templateSchema,
  urlSchema,
} from '../../../../shared/provisioning/flow-content.ts';
import { STEP_SCHEMAS } from '../../../../shared/provisioning/flow-steps.ts';
import { TRIGGER_SCHEMAS } from '../../../../shared/provisioning/flow-triggers.ts';
import {
  channelSchema,
  fileSchema,
  flowSchema,
  keySchema,
  limitsSchema,
  memberSchema,
  networkSchema,
  organizationSchema,
  paceSchema,
  pipelineSchema,
  subscriptionSchema,
  tagSchema,
} from '../../../../shared/provisioning/schema.ts';
import { PROVIDERS } from '../../../../shared/vocabulary.ts';
import { Channel, Network, Pace } from './channel-descriptions.ts';
import { Buttons, Card, Link, List, Place, Reaction, Template } from './content-descriptions.ts';
import type { ObjectDescription, PropertyDescription } from './descriptions.ts';
import {
  Condition,
  Flow,
  TriggerButton,
  TriggerFirstMessage,
  TriggerKeyword,
  TriggerLocation,
  TriggerReaction,
  TriggerTag,
} from './flow-descriptions.ts';
import {
  File,
  Key,
  Limits,
  Member,
  Organization,
  Pipeline,
  Subscription,
  Tag,
} from './organization-descriptions.ts';
import { STEP_DESCRIPTIONS } from './step-descriptions.ts';

/** A node of a JSON Schema, as far as it is read here. */
export interface Node {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
}

function ofSteps<T>(parts: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(parts).map(([action, part]) => [`Step_${action}`, part]),
  );
}

/** By the name of the definition, in the order of the page. */
export const DESCRIPTIONS: Readonly<Record<string, ObjectDescription>> = {
  Organization,
  Limits,
  Member,
  Channel,
  Network,
  Pace,
  Key,
  Tag,
  Pipeline,
  File,
  Subscription,
  Flow,
  TriggerTag,
  TriggerButton,
  TriggerKeyword,
  TriggerLocation,
  TriggerReaction,
  TriggerFirstMessage,
  ...ofSteps(STEP_DESCRIPTIONS),
  Template,
  Buttons,
  List,
  Link,
  Reaction,
  Place,
  Card,
  Condition,
};

const SCHEMAS = {
  Organization: organizationSchema,
  Limits: limitsSchema,
  Member: memberSchema,
  Channel: channelSchema,
  Network: networkSchema,
  Pace: paceSchema,
  Key: keySchema,
  Tag: tagSchema,
  Pipeline: pipelineSchema,
  File: fileSchema,
  Subscription: subscriptionSchema,
  Flow: flowSchema,
  TriggerTag: TRIGGER_SCHEMAS.tag,
  TriggerButton: TRIGGER_SCHEMAS.button,
  TriggerKeyword: TRIGGER_SCHEMAS.keyword,
  TriggerLocation: TRIGGER_SCHEMAS.location,
  TriggerReaction: TRIGGER_SCHEMAS.reaction,
  TriggerFirstMessage: TRIGGER_SCHEMAS.firstMessage,
  ...ofSteps(STEP_SCHEMAS),
  Template: templateSchema,
  Buttons: buttonsSchema,
  List: listSchema,
  Link: urlSchema,
  Reaction: reactionSchema,
  Place: locationSchema,
  Card: cardSchema,
  Condition: conditionSchema,
};

/** Added by the command line to its commands, never part of a file. */
const NOT_WRITTEN: ReadonlySet<string> = new Set(['File.contentDigest', 'File.sizeBytes']);

const refTo = (name: string): Node => ({ $ref: `#/definitions/${name}` });
const listOf = (...names: readonly string[]): Node => ({
  type: 'array',
  items: names.length === 1 ? refTo(names[0] ?? '') : { anyOf: names.map(refTo) },
});

const STEPS = Object.keys(ofSteps(STEP_SCHEMAS));
const TRIGGERS = Object.keys(DESCRIPTIONS).filter((name) => name.startsWith('Trigger'));

/** Nodes that the schema leaves to a reader of its own, or a pipe hides from the conversion. */
const READ_LATER: Readonly<Record<string, Node>> = {
  'Organization.members': listOf('Member'),
  'Organization.channels': listOf('Channel'),
  'Organization.keys': listOf('Key'),
  'Organization.tags': { type: 'array', items: { anyOf: [{ type: 'string' }, refTo('Tag')] } },
  'Organization.pipelines': listOf('Pipeline'),
  'Organization.flows': listOf('Flow'),
  'Organization.files': listOf('File'),
  'Organization.subscriptions': listOf('Subscription'),
  'Flow.steps': { ...listOf(...STEPS), minItems: 1 },
  'Flow.triggers': listOf(...TRIGGERS),
  'Step_choose.cases': {
    type: 'array',
    minItems: 1,
    maxItems: 50,
    items: {
      type: 'object',
      properties: { when: refTo('Condition'), next: { type: ['string', 'null'] } },
      required: ['when', 'next'],
      additionalProperties: false,
    },
  },
};

const CONFIG = {
  target: 'draft-07',
  typeMode: 'output',
  errorMode: 'throw',
  overrideRef: ({ referenceId }) => `#/definitions/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    valibotSchema.type === 'custom' ? jsonSchema : null,
  overrideAction({ valibotAction, jsonSchema }) {
    const requirement = 'requirement' in valibotAction ? Number(valibotAction.requirement) : 0;
    switch (valibotAction.type) {
      case 'max_code_points':
        return { ...jsonSchema, maxLength: requirement };
      case 'rfc_email':
        return { ...jsonSchema, format: 'email' };
      case 'check':
      case 'raw_check':
      case 'finite':
        return jsonSchema;
      default:
        return null;
    }
  },
} satisfies ConversionConfig;

/** In a sentence's form, for editors that show it beside the property. */
function describe({ means, without }: PropertyDescription): string {
  return without === undefined ? `${means}.` : `${means}. Left out: ${without}.`;
}

function described(node: Node, words: PropertyDescription | undefined): Node {
  if (words === undefined) return node;
  // Beside a $ref every other keyword is ignored.
  const typed = '$ref' in node ? { allOf: [node] } : node;
  return {
    ...typed,
    description: describe(words).replaceAll('`', ''),
    ...(words.default === undefined ? {} : { default: words.default }),
    examples: [words.example],
  };
}

/** A definition with its descriptions, the properties that a file can have and no others. */
function withDescriptions(name: string, { properties = {}, ...rest }: Node): Node {
  const words = DESCRIPTIONS[name];
  const own = Object.entries(properties).filter(([key]) => !NOT_WRITTEN.has(`${name}.${key}`));
  return {
    ...rest,
    ...(words && { description: words.means.replaceAll('`', '') }),
    properties: Object.fromEntries(
      own.map(([key, node]) => [
        key,
        described(READ_LATER[`${name}.${key}`] ?? node, words?.properties[key]),
      ]),
    ),
  };
}

/** Only a provider's own settings; `apply` decides which of them a new channel needs. */
function settingsByProvider(): readonly Node[] {
  return PROVIDERS.map((provider) => {
    const { required, optional } = PROVIDER_RULES[provider];
    const names = [...required, ...optional, 'pace'];
    return {
      if: { properties: { provider: { const: provider } }, required: ['provider'] },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
      then: { properties: { network: { propertyNames: { enum: names } } } },
    };
  });
}

/** Every object of the file by name, with its descriptions. */
export function definitions(): Readonly<Record<string, Node>> {
  const plain: Readonly<Record<string, Node>> = JSON.parse(
    JSON.stringify(toJsonSchemaDefs(SCHEMAS, CONFIG)),
  );
  const all = Object.entries(plain).map(([name, node]) => [name, withDescriptions(name, node)]);
  const named = Object.fromEntries(all);
  return { ...named, Channel: { ...named.Channel, allOf: settingsByProvider() } };
}

export function provisioningSchema(): Node {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Recado provisioning file',
    type: 'object',
    properties: {
      $schema: { type: 'string', description: 'Where this schema lies; for editors of JSON.' },
      orgs: { ...listOf('Organization'), description: 'The organizations.' },
    },
    required: ['orgs'],
    additionalProperties: false,
    definitions: definitions(),
  };
}
