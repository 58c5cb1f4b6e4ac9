/**
 * POST /panel/api/files: a file for a message, as raw bytes. It goes to the store in parts, which
 * any process of the actors writes.
 *
 * 1. The audit entry is written before the file is on record: no file is without one.
 * 2. A file that no message names is removed after an hour.
 */
import { createHash } from 'node:crypto';
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { failure, invalid } from '../../../shared/failures.ts';
import { cleanFileName, mimeByName } from '../../../shared/file-name.ts';
import { ASK_DEADLINE_MS, MEDIA_MAX_BYTES, UPLOAD_PART_BYTES } from '../../../shared/limits.ts';
import { plainMime } from '../../../shared/media.ts';
import type { Answer } from '../../../shared/ports/bus.ts';
import type { ActingPerson } from '../../../shared/wire/audit.ts';
import type { EndUpload } from '../../../shared/wire/media-commands.ts';
import { actingPerson } from '../../acting.ts';
import { decodedName, FILE_NAME, FILE_NAME_HEADER } from '../../http/file-head.ts';
import { answerReply, jsonReply, type Reply, refusalReply } from '../../http/respond.ts';
import type { Panel, SessionRoute } from '../panel.ts';
import { askOrganization } from './ask-person.ts';

interface Upload {
  readonly file: EndUpload;
  readonly bytes: Buffer;
  readonly by: ActingPerson;
  readonly requestId: string;
}

const uploadFile: SessionRoute = {
  method: 'POST',
  path: '/panel/api/files',
  operationId: 'uploadFile',
  entrance: 'session',
  body: null,
  rawMaxBytes: MEDIA_MAX_BYTES,
  async answer(panel, { headers, bytes, requestId, address }, { caller }) {
    if (!caller?.member) return refusalReply(failure('organization_not_found'));
    if (bytes.length === 0) return refusalReply(invalid({ path: '', message: SENTENCES.empty }));
    const named = decodedName(headers[FILE_NAME_HEADER] ?? '');
    if (named === null) {
      return refusalReply(invalid({ path: FILE_NAME, message: SENTENCES.brokenText }));
    }
    const fileName = cleanFileName(named);
    const file: EndUpload = {
      mediaId: panel.gateway.freshId('med'),
      orgId: caller.orgId,
      mimeType: mimeByName(plainMime(headers['content-type']), fileName),
      fileName,
      sizeBytes: bytes.length,
      digest: createHash('sha256').update(bytes).digest('hex'),
    };
    const by = actingPerson(caller, { operation: 'uploadFile', address });
    return keep(panel, { file, bytes, by, requestId });
  },
};

async function keep(panel: Panel, upload: Upload): Promise<Reply> {
  const { file, requestId } = upload;
  const refused = (await putParts(panel, upload)) ?? (await record(panel, upload));
  if (refused) return answerReply(refused);
  const ended = await panel.gateway.bus.query('upload-end', file, options(panel, requestId));
  if (ended.status !== 200) return answerReply(ended);
  const { mediaId, mimeType, fileName, sizeBytes } = file;
  return jsonReply(201, { data: { mediaId, mimeType, fileName, sizeBytes } });
}

/** Null when all were written, else the answer to the one that was not. */
async function putParts(
  panel: Panel,
  { file: { mediaId }, bytes, requestId }: Upload,
): Promise<Answer | null> {
  for (let start = 0; start < bytes.length; start += UPLOAD_PART_BYTES) {
    const data = bytes.toString('base64', start, start + UPLOAD_PART_BYTES);
    const part = { mediaId, start, data };
    const answer = await panel.gateway.bus.query('upload-part', part, options(panel, requestId));
    if (answer.status !== 200) return answer;
  }
  return null;
}

async function record(panel: Panel, { file, by, requestId }: Upload): Promise<Answer | null> {
  const { mediaId, orgId, mimeType, sizeBytes } = file;
  const { clock, freshId } = panel.gateway;
  const id = freshId('aud');
  const subject = { kind: 'media', id: mediaId };
  const details = { mimeType, sizeBytes: String(sizeBytes) };
  const entry = { id, at: clock.now(), by, subject, details };
  const command = { id, type: 'record-audit', entry } as const;
  const answer = await askOrganization(panel, { key: orgId, requestId }, command);
  return answer.status === 200 ? null : answer;
}

function options({ gateway }: Panel, requestId: string) {
  return { deadline: gateway.clock.now() + ASK_DEADLINE_MS, requestId };
}

export const FILE_ROUTES: readonly SessionRoute[] = [uploadFile];
