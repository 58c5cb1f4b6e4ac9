/** Schemas as OpenAPI 3.1 (JSON Schema 2020-12) shows them. */
import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { ChannelSchema } from '../shared/schemas/channel.ts';
import { ContactSchema } from '../shared/schemas/contact.ts';
import { ConversationSchema } from '../shared/schemas/conversation.ts';
import { IdentitySchema } from '../shared/schemas/identity.ts';
import { MessageSchema } from '../shared/schemas/message.ts';
import { RefusalSchema, ValidationRefusalSchema } from '../shared/schemas/refusal.ts';

/** Named once, referred to everywhere. */
const DEFINITIONS = {
  Identity: IdentitySchema,
  Channel: ChannelSchema,
  Contact: ContactSchema,
  Conversation: ConversationSchema,
  Message: MessageSchema,
  Error: RefusalSchema,
  ValidationError: ValidationRefusalSchema,
};

/** Rules that a JSON Schema says otherwise, or cannot say and leaves to the description. */
const CONFIG = {
  target: 'draft-2020-12',
  errorMode: 'throw',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    valibotSchema.type === 'custom' ? jsonSchema : null,
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
      case 'email':
        // Its pattern uses flags that a JSON Schema has no place for.
        return { ...jsonSchema, format: 'email' };
      case 'check':
      case 'partial_check':
        return jsonSchema;
      default:
        return null;
    }
  },
} satisfies ConversionConfig;

export type JsonObject = Readonly<Record<string, unknown>>;

/** `components/schemas` of the document. */
export function componentSchemas(): JsonObject {
  return toJsonSchemaDefs(DEFINITIONS, { ...CONFIG });
}

/** One schema, referring to the components where it can. */
export function jsonSchemaOf(schema: GenericSchema): JsonObject {
  const converted = toJsonSchema(schema, {
    ...CONFIG,
    definitions: DEFINITIONS,
    typeMode: 'output',
  });
  const { $schema, $defs, ...plain } = converted;
  return plain;
}

export function componentReference(name: keyof typeof DEFINITIONS): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
