/** The served OpenAPI document, as a generator of requests reads it. */
import * as v from 'valibot';

const Reference = v.object({ $ref: v.string() });
const ParameterSchema = v.object({
  name: v.string(),
  in: v.picklist(['path', 'query', 'header']),
  required: v.optional(v.boolean(), false),
  schema: v.unknown(),
});
const DocumentSchema = v.object({
  paths: v.record(
    v.string(),
    v.record(
      v.string(),
      v.object({
        operationId: v.string(),
        parameters: v.array(v.union([ParameterSchema, Reference])),
        requestBody: v.optional(
          v.object({
            content: v.object({
              'application/json': v.optional(v.object({ schema: v.unknown() })),
              '*/*': v.optional(v.object({ schema: v.unknown() })),
            }),
          }),
        ),
        responses: v.record(v.string(), v.unknown()),
      }),
    ),
  ),
  components: v.object({ parameters: v.record(v.string(), ParameterSchema) }),
});

export interface Operation {
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly v.InferOutput<typeof ParameterSchema>[];
  /** Absent where there is no body of JSON. */
  readonly body: unknown;
  /** The body is a file. */
  readonly isFile: boolean;
  readonly statuses: readonly number[];
}

export function operationsOf(document: unknown): readonly Operation[] {
  const { paths, components } = v.parse(DocumentSchema, document);
  const resolved = (given: v.InferOutput<typeof ParameterSchema | typeof Reference>) =>
    '$ref' in given ? [components.parameters[given.$ref.split('/').at(-1) ?? '']] : [given];
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const content = operation.requestBody?.content;
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters.flatMap(resolved).filter((each) => each !== undefined),
        body: content?.['application/json']?.schema,
        isFile: content?.['*/*'] !== undefined,
        statuses: Object.keys(operation.responses).map(Number),
      };
    }),
  );
}
