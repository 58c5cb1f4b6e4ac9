/** Upload of one file with its progress, which `fetch` does not tell. */
import { changingHeaders, lost, type Outcome, refusedOf } from '../../base/call.ts';

export interface UploadedFile {
  readonly mediaId: string;
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly sizeBytes: number;
}

export interface Upload {
  readonly done: Promise<Outcome<UploadedFile>>;
  cancel(): void;
}

export function upload(file: File, onPercent: (percent: number) => void): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<Outcome<UploadedFile>>((resolve) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      onPercent(total === 0 ? 0 : Math.floor((loaded / total) * 100));
    });
    request.addEventListener('load', () => resolve(outcomeOf(request)));
    for (const type of ['error', 'abort', 'timeout'] as const) {
      request.addEventListener(type, () => resolve({ ok: false, refused: lost(false) }));
    }
  });
  request.open('POST', '/panel/api/files');
  for (const [name, value] of Object.entries(changingHeaders())) {
    request.setRequestHeader(name, value);
  }
  request.setRequestHeader('x-file-name', encodeURIComponent(file.name));
  request.setRequestHeader('content-type', file.type || 'application/octet-stream');
  request.send(file);
  return { done, cancel: () => request.abort() };
}

function outcomeOf({ status, responseText }: XMLHttpRequest): Outcome<UploadedFile> {
  if (status !== 201) return { ok: false, refused: refusedOf(status, responseText) };
  const { data }: { readonly data: UploadedFile } = JSON.parse(responseText);
  return { ok: true, body: data };
}
