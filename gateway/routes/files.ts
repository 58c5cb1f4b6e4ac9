/** /api/v1/files: the organization's library, of files that messages and flows send (D436). */
import { createHash } from 'node:crypto';
import {
  AddFileAnswer,
  type LibraryFile,
  ListFilesAnswer,
  ListFilesQuery,
  RemoveFileAnswer,
} from '../../shared/api/file.ts';
import { NoBody } from '../../shared/api/message.ts';
import { SENTENCES } from '../../shared/api/sentences.ts';
import { type Failure, invalid } from '../../shared/failures.ts';
import { cleanFileName, mimeByName } from '../../shared/file-name.ts';
import { MEDIA_MAX_BYTES, UPLOAD_PART_BYTES } from '../../shared/limits.ts';
import { plainMime } from '../../shared/media.ts';
import type { AddFile } from '../../shared/wire/library-commands.ts';
import { decodedName, FILE_NAME } from '../http/file-head.ts';
import { type Reply, refusalReply } from '../http/respond.ts';
import { type Ask, apiRoute, type Route, type SentFile } from '../route.ts';
import { PAGE_OF_ONE } from './examples.ts';
import { LIST, ONCE } from './sentences.ts';

const TAG = 'Arquivos';
export const FILE_ID = 'fil_5Tg7Yh9Uj1Ik3Ol5Pz7Xc9';
export const FILE: LibraryFile = {
  id: FILE_ID,
  name: 'tabela.pdf',
  mimeType: 'application/pdf',
  sizeBytes: 48_213,
  createdAt: '2026-05-04T12:00:00.000Z',
};

const listFiles = apiRoute({
  method: 'GET',
  path: '/api/v1/files',
  operationId: 'listFiles',
  summary: 'Lista os arquivos da biblioteca da organização, pelo nome.',
  description: `O \`id\` é o \`mediaId\` de um envio, e o arquivo de um passo de fluxo. ${LIST}`,
  tag: TAG,
  query: ListFilesQuery,
  answers: {
    200: {
      description: 'Uma página de arquivos.',
      schema: ListFilesAnswer,
      example: { data: [FILE], ...PAGE_OF_ONE },
    },
  },
  plan({ caller: { orgId }, query: { page, limit } }) {
    return { to: 'query', resource: 'library-page', payload: { orgId, page, limit } };
  },
});

const addFile = apiRoute({
  method: 'POST',
  path: '/api/v1/files',
  access: 'full',
  operationId: 'addFile',
  summary: 'Guarda um arquivo na biblioteca da organização.',
  description:
    'O corpo são os bytes do arquivo, até 25 MiB, com o seu tipo em `Content-Type`. A biblioteca ' +
    `tem até 1.000 arquivos e 5 GiB. ${ONCE}`,
  tag: TAG,
  isTool: false,
  isAdditive: true,
  rawMaxBytes: MEDIA_MAX_BYTES,
  ownParameters: [
    {
      name: FILE_NAME,
      in: 'header',
      required: true,
      description: 'O nome do arquivo, em percent-encoding (`encodeURIComponent`).',
      schema: { type: 'string' },
      example: FILE.name,
    },
  ],
  answers: {
    201: { description: 'O arquivo.', schema: AddFileAnswer, example: { data: FILE } },
  },
  async run({ caller, ids, file, ask }) {
    const read = readFile(file);
    if ('kind' in read) return refusalReply(read);
    const fileId = ids.fresh('fil');
    const address = { kind: 'organization', key: caller.orgId } as const;
    const command = { type: 'add-file', fileId, ...read.facts } as const;
    const add = (over: Pick<AddFile, 'id' | 'check'>) =>
      ask({ to: 'actor', address, command: { ...command, ...over } });
    const checked = await add({ id: ids.fresh('cmd'), check: true });
    if (checked.status !== 201) return checked;
    const unwritten = await writeContent(ask, { ...command, bytes: read.bytes });
    return unwritten ?? add({ id: ids.fresh('cmd') });
  },
});

interface ReadFile {
  readonly bytes: Buffer;
  readonly facts: Pick<AddFile, 'name' | 'mimeType' | 'sizeBytes' | 'contentDigest'>;
}

/** The type as of a file that is downloaded: by the name's ending where none is told. */
function readFile(file: SentFile | null): ReadFile | Failure {
  const { bytes, contentType, name: sent } = file ?? { bytes: Buffer.alloc(0), ...NO_HEAD };
  const named = decodedName(sent);
  const name = named === null ? null : cleanFileName(named);
  const issues = [
    ...(bytes.length === 0 ? [{ path: '', message: SENTENCES.empty }] : []),
    ...(named === null ? [{ path: FILE_NAME, message: SENTENCES.brokenText }] : []),
    ...(named !== null && name === null ? [{ path: FILE_NAME, message: SENTENCES.required }] : []),
  ];
  if (name === null || issues.length > 0) return invalid(...issues);
  const contentDigest = createHash('sha256').update(bytes).digest('hex');
  const mimeType = mimeByName(plainMime(contentType), name);
  return { bytes, facts: { name, mimeType, sizeBytes: bytes.length, contentDigest } };
}

const NO_HEAD = { contentType: '', name: '' };

type Content = Pick<AddFile, 'fileId' | 'contentDigest' | 'sizeBytes'> & { readonly bytes: Buffer };

/** Null when it is stored, else the answer to the part that was not. */
async function writeContent(ask: Ask, content: Content): Promise<Reply | null> {
  const { fileId, contentDigest, sizeBytes, bytes } = content;
  for (let start = 0; start < sizeBytes; start += UPLOAD_PART_BYTES) {
    const data = bytes.toString('base64', start, start + UPLOAD_PART_BYTES);
    const payload = { fileId, contentDigest, start, data };
    const put = await ask({ to: 'query', resource: 'library-part', payload });
    if (put.status !== 200) return put;
  }
  const payload = { fileId, contentDigest, sizeBytes };
  const ended = await ask({ to: 'query', resource: 'library-end', payload });
  return ended.status === 200 ? null : ended;
}

const removeFile = apiRoute({
  method: 'POST',
  path: '/api/v1/files/{id}/remove',
  pathId: { description: 'Id do arquivo.', example: FILE_ID },
  access: 'full',
  operationId: 'removeFile',
  summary: 'Retira um arquivo da biblioteca; as mensagens que o têm ficam com ele.',
  description: 'Um arquivo que um fluxo envia não sai: 409.',
  tag: TAG,
  body: NoBody,
  bodyExample: {},
  mayOmitBody: true,
  answers: {
    200: {
      description: 'O arquivo saiu.',
      schema: RemoveFileAnswer,
      example: { data: { id: FILE_ID, removed: true } },
    },
  },
  refusals: [404, 409],
  plan({ caller, ids, params: { id: fileId = '' } }) {
    const command = { id: ids.fresh('cmd'), type: 'remove-file', fileId } as const;
    return { to: 'actor', address: { kind: 'organization', key: caller.orgId }, command };
  },
});

export const FILE_ROUTES: readonly Route[] = [listFiles, addFile, removeFile];
