/** Schemas as OpenAPI 3.1 (JSON Schema 2020-12) shows them. */
import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { ChannelSchema } from '../shared/api/channel.ts';
import { ContactNameSchema, ContactSchema } from '../shared/api/contact.ts';
import { ConversationSchema } from '../shared/api/conversation.ts';
import { DealSchema } from '../shared/api/deal.ts';
import {
  ContactEventDataSchema,
  DealEventDataSchema,
  DealMovedEventDataSchema,
  MessageEventDataSchema,
  TaskEventDataSchema,
  TestEventDataSchema,
} from '../shared/api/event.ts';
import { alternativesOf } from '../shared/api/fields.ts';
import { FileSchema } from '../shared/api/file.ts';
import { FlowSchema } from '../shared/api/flow.ts';
import { IdentitySchema } from '../shared/api/identity.ts';
import { MemberSchema } from '../shared/api/member.ts';
import { MessageSchema } from '../shared/api/message.ts';
import { PipelineSchema } from '../shared/api/pipeline.ts';
import { RefusalSchema, ValidationRefusalSchema } from '../shared/api/refusal.ts';
import { TagSchema } from '../shared/api/tag.ts';
import { TaskSchema } from '../shared/api/task.ts';

/** Named once, referred to everywhere. */
const DEFINITIONS = {
  Identity: IdentitySchema,
  Channel: ChannelSchema,
  Member: MemberSchema,
  Contact: ContactSchema,
  ContactName: ContactNameSchema,
  Tag: TagSchema,
  File: FileSchema,
  Conversation: ConversationSchema,
  Message: MessageSchema,
  Flow: FlowSchema,
  Pipeline: PipelineSchema,
  Deal: DealSchema,
  Task: TaskSchema,
  MessageEventData: MessageEventDataSchema,
  ContactEventData: ContactEventDataSchema,
  DealEventData: DealEventDataSchema,
  DealMovedEventData: DealMovedEventDataSchema,
  TaskEventData: TaskEventDataSchema,
  TestEventData: TestEventDataSchema,
  Error: RefusalSchema,
  ValidationError: ValidationRefusalSchema,
};

/** In UTC, with milliseconds and a trailing Z (C2.1). */
const TIMESTAMP = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$';

/** Rules that JSON Schema expresses otherwise, or cannot express and leaves to the description. */
const CONFIG = {
  target: 'draft-2020-12',
  errorMode: 'throw',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema({ valibotSchema, jsonSchema }) {
    const alternatives = alternativesOf(valibotSchema);
    if (alternatives) return { anyOf: alternatives.map(inlineSchema) };
    return valibotSchema.type === 'custom' ? jsonSchema : null;
  },
  overrideAction({ valibotAction, jsonSchema }) {
    const requirement = 'requirement' in valibotAction ? Number(valibotAction.requirement) : 0;
    switch (valibotAction.type) {
      // JSON Schema counts code points as well.
      case 'min_code_points':
        return { ...jsonSchema, minLength: requirement };
      case 'max_code_points':
        return { ...jsonSchema, maxLength: requirement };
      case 'metadata':
        return { ...jsonSchema, format: 'uri' };
      case 'iso_timestamp':
        return { ...jsonSchema, format: 'date-time', pattern: TIMESTAMP };
      case 'rfc_email':
        // Its pattern alone would accept an address without a top level domain.
        return { ...jsonSchema, format: 'email' };
      case 'check':
      case 'raw_check':
      case 'partial_check':
      case 'transform':
        return jsonSchema;
      default:
        return null;
    }
  },
} satisfies ConversionConfig;

function inlineSchema(schema: GenericSchema): JsonSchema {
  const { $schema, ...plain } = toJsonSchema(schema, { ...CONFIG, typeMode: 'output' });
  return plain;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** `components/schemas` of the document. */
export function componentSchemas(): JsonObject {
  return toJsonSchemaDefs(DEFINITIONS, { ...CONFIG });
}

const converted = new WeakMap<GenericSchema, JsonObject>();

/**
 * One schema, referring to the components where it can. Answers and tools share most of theirs, and
 * each conversion converts all components with it.
 */
export function jsonSchemaOf(schema: GenericSchema): JsonObject {
  const known = converted.get(schema);
  if (known) return known;
  const options = { ...CONFIG, definitions: DEFINITIONS, typeMode: 'output' } as const;
  const { $schema, $defs, ...plain } = toJsonSchema(schema, options);
  converted.set(schema, plain);
  return plain;
}

export function componentReference(name: keyof typeof DEFINITIONS): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
