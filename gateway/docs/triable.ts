/**
 * The part of the OpenAPI document that a reader can call from `/docs/try` (D262).
 *
 * 1. Networks sign their calls, and events go to subscribers: neither is there.
 * 2. Only values that a reader chooses fill a field: an id or an `Idempotency-Key` of an example
 *    would be sent as it stands.
 * 3. One way to give the key. A refusal is one line: the page to read has its headers and example.
 * 4. One example of a body: Swagger UI's choice among several has no label.
 */
import {
  type ApiDocument,
  answersOf,
  type Operation,
  type Parameter,
  withOneExample,
} from './api-document.ts';

const BEARER = 'bearer';

interface Whole extends ApiDocument {
  readonly components?: ApiDocument['components'] & {
    readonly securitySchemes?: Readonly<Record<string, unknown>>;
  };
}

/**
 * The document that Swagger UI is started with, serialized; the page sets `servers`.
 * @param document the OpenAPI document, serialized
 */
export function triableOf(document: string): string {
  const whole: Whole = JSON.parse(document);
  const { webhooks: _, components = {}, tags = [], ...rest } = whole;
  const paths = mapped(
    Object.entries(whole.paths).filter(([path]) => !path.startsWith('/networks/')),
    (methods) => mapped(Object.entries(methods), (operation) => operationOf(whole, operation)),
  );
  const used = new Set(
    Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => operation.tags ?? []),
    ),
  );
  const scheme = components.securitySchemes?.[BEARER];
  return JSON.stringify({
    ...rest,
    paths,
    tags: tags.filter(({ name }) => used.has(name)),
    components: {
      ...components,
      parameters: mapped(Object.entries(components.parameters ?? {}), withoutExample),
      securitySchemes: { [BEARER]: scheme },
    },
  });
}

function operationOf(api: ApiDocument, operation: Operation): Operation {
  const { parameters = [], security = [] } = operation;
  const answers = answersOf(api, operation).map(({ status, answer }) => {
    const { description = '', content = {} } = answer;
    return [status, status.startsWith('2') ? { description, content } : { description }] as const;
  });
  const { requestBody } = operation;
  const content = Object.entries(requestBody?.content ?? {});
  return {
    ...operation,
    ...(requestBody
      ? { requestBody: { ...requestBody, content: mapped(content, withOneExample) } }
      : {}),
    security: security.length === 0 ? [] : [{ [BEARER]: [] }],
    parameters: parameters
      .filter(({ $ref = '' }) => !$ref.endsWith('/RequestId'))
      .map(withoutExample),
    responses: Object.fromEntries(answers),
  };
}

function withoutExample({ example: _, ...parameter }: Parameter): Parameter {
  return parameter;
}

function mapped<From, To>(
  entries: readonly (readonly [string, From])[],
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value)]));
}
