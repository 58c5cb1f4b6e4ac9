/** One call of the API as code in three languages, made from the examples of the document. */
import { mimeByName } from '../../shared/file-name.ts';
import { UNKNOWN_MIME } from '../../shared/media.ts';
import { FILE_NAME } from '../http/file-head.ts';
import {
  type ApiDocument,
  answersOf,
  type Entry,
  mediaOf,
  needsKey,
  type Operation,
  parametersOf,
} from './api-document.ts';
import { pythonLiteral, typescriptLiteral } from './literals.ts';

/** The variable of the environment that holds the reader's key, in every example. */
export const KEY_VARIABLE = 'RECADO_KEY';

export interface Code {
  readonly language: 'curl' | 'TypeScript' | 'Python';
  readonly text: string;
}

interface Call {
  readonly verb: string;
  readonly url: string;
  readonly hasKey: boolean;
  /** Undefined: a call without a body. */
  readonly body?: unknown;
  /** Name of a file in the reader's folder: the body is its bytes. */
  readonly file?: string;
  readonly answer: 'json' | 'text' | 'file';
}

/** Empty where the document has no example of a part that the call needs. */
export function callExamples(api: ApiDocument, entry: Entry): readonly Code[] {
  const call = callOf(api, entry);
  if (!call) return [];
  return [
    { language: 'curl', text: curlOf(call) },
    { language: 'TypeScript', text: typescriptOf(call) },
    { language: 'Python', text: pythonOf(call) },
  ];
}

function callOf(api: ApiDocument, { verb, place, operation }: Entry): Call | null {
  const required = parametersOf(api, operation).filter((each) => each.required === true);
  const media = mediaOf(operation.requestBody?.content);
  const isKnown = required.every(({ example }) => example !== undefined);
  const isFile = media?.schema?.format === 'binary';
  if (!isKnown || (media && !isFile && media.example === undefined)) return null;
  const named = required.find(({ name }) => name === FILE_NAME)?.example;
  const path = required
    .filter((each) => each.in === 'path')
    .reduce((rest, { name, example }) => rest.replace(`{${name}}`, String(example)), place);
  const query = new URLSearchParams();
  for (const { in: where, name = '', example } of required) {
    if (where === 'query') query.set(name, String(example));
  }
  const asked = query.size === 0 ? '' : `?${query}`;
  return {
    verb,
    url: `${api.servers?.[0]?.url ?? ''}${path}${asked}`,
    hasKey: needsKey(operation),
    ...(isFile ? { file: String(named) } : media ? { body: media.example } : {}),
    answer: answerKind(api, operation),
  };
}

function answerKind(api: ApiDocument, operation: Operation): Call['answer'] {
  const success = answersOf(api, operation).find(({ status }) => status.startsWith('2'));
  const [type = ''] = Object.keys(success?.answer.content ?? {});
  if (type.startsWith('text/')) return 'text';
  return type === 'application/json' ? 'json' : 'file';
}

/** The headers of a body. */
function typeHeaders({ body, file }: Call): readonly (readonly [string, string])[] {
  if (file === undefined) return body === undefined ? [] : [['Content-Type', 'application/json']];
  return [
    ['Content-Type', mimeByName(UNKNOWN_MIME, file)],
    [FILE_NAME, encodeURIComponent(file)],
  ];
}

function curlOf(call: Call): string {
  const { verb, url, hasKey, body, file, answer } = call;
  const lines = [
    `curl ${quoted(url)}`,
    ...(verb === 'POST' && body === undefined && file === undefined ? ['-X POST'] : []),
    ...(hasKey ? [`-H "Authorization: Bearer $${KEY_VARIABLE}"`] : []),
    ...typeHeaders(call).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
    ...(file === undefined ? [] : [`--data-binary ${quoted(`@${file}`)}`]),
    ...(answer === 'file' ? ['-o arquivo'] : []),
  ];
  return lines.join(' \\\n  ');
}

/** One argument of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const TYPESCRIPT_END: Readonly<Record<Call['answer'], string>> = {
  json: 'console.log(response.status, await response.json());',
  text: 'console.log(response.status, await response.text());',
  file: "await writeFile('arquivo', Buffer.from(await response.arrayBuffer()));",
};

function typescriptOf(call: Call): string {
  const { verb, url, hasKey, body, file, answer } = call;
  const headers = [
    ...(hasKey ? [`Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\`,`] : []),
    ...typeHeaders(call).map(([name, value]) => `'${name}': ${typescriptLiteral(value)},`),
  ];
  const options = [
    ...(verb === 'GET' ? [] : [`  method: '${verb}',`]),
    ...(headers.length === 0
      ? []
      : ['  headers: {', ...headers.map((line) => `    ${line}`), '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${typescriptLiteral(body, '  ')}),`]),
    ...(file === undefined ? [] : [`  body: await readFile(${typescriptLiteral(file)}),`]),
  ];
  const init = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return [
    ...(answer === 'file' ? ["import { writeFile } from 'node:fs/promises';", ''] : []),
    ...(file === undefined ? [] : ["import { readFile } from 'node:fs/promises';", '']),
    `const response = await fetch(${typescriptLiteral(url)}${init});`,
    TYPESCRIPT_END[answer],
  ].join('\n');
}

const PYTHON_END: Readonly<Record<Call['answer'], string>> = {
  json: '    print(response.status, json.load(response))',
  text: '    print(response.status, response.read().decode())',
  file: '    open("arquivo", "wb").write(response.read())',
};

function pythonOf(call: Call): string {
  const { verb, url, hasKey, body, file, answer } = call;
  const hasJson = body !== undefined || answer === 'json';
  const headers = [
    ...(hasKey ? [`"Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}",`] : []),
    ...typeHeaders(call).map(([name, value]) => `"${name}": ${pythonLiteral(value)},`),
  ];
  const options = [
    `    ${pythonLiteral(url)},`,
    ...(verb === 'GET' ? [] : [`    method="${verb}",`]),
    ...(headers.length === 0
      ? []
      : ['    headers={', ...headers.map((line) => `        ${line}`), '    },']),
    ...(body === undefined
      ? []
      : [`    data=json.dumps(${pythonLiteral(body, '    ')}).encode(),`]),
    ...(file === undefined ? [] : [`    data=open(${pythonLiteral(file)}, "rb").read(),`]),
  ];
  return [
    ...(hasJson ? ['import json'] : []),
    ...(hasKey ? ['import os'] : []),
    ...['import urllib.request', ''],
    ...['request = urllib.request.Request(', ...options, ')'],
    'with urllib.request.urlopen(request) as response:',
    PYTHON_END[answer],
  ].join('\n');
}
