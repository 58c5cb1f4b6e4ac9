/** The organization's library of files, as calls change it (D436). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addFile,
  removeFile,
  shownFile,
} from '../../../../../actors/domain/organization/library.ts';
import type { FileEntry, FlowEntry } from '../../../../../actors/domain/organization.ts';
import {
  LIBRARY_BYTES_MAX_PER_ORGANIZATION,
  LIBRARY_FILES_MAX_PER_ORGANIZATION,
} from '../../../../../shared/limits.ts';
import type { AddFile } from '../../../../../shared/wire/library-commands.ts';

const NOW = 1_700_000_000_000;

function file(id: string, over: Partial<FileEntry> = {}): FileEntry {
  const about = { name: `${id}.pdf`, mimeType: 'application/pdf', sizeBytes: 10 };
  return { id, ref: id, ...about, contentDigest: id, ...over };
}

function adding(fileId: string, over: Partial<AddFile> = {}): AddFile {
  const { id: _, ref: __, ...about } = file(fileId);
  return { id: 'cmd_1', type: 'add-file', fileId, ...about, ...over };
}

function added(files: readonly FileEntry[], command: AddFile) {
  const change = addFile({ files, createdAt: 0 }, command, NOW);
  return 'refusal' in change ? change.refusal.kind : change.files;
}

describe('a file that a call adds', () => {
  it('has its id as ref, and is there once', () => {
    const first = added([], adding('fil_1'));
    assert.ok(Array.isArray(first));
    assert.deepEqual(first, [file('fil_1', { createdAt: NOW })]);
    assert.equal(added(first, adding('fil_1')), first);
  });

  it('is the thousandth at most; removed ones do not count', () => {
    const most = LIBRARY_FILES_MAX_PER_ORGANIZATION;
    const files = Array.from({ length: most }, (_, n) => file(`fil_${n}`));
    assert.equal(added(files, adding('fil_x')), 'too_many_files');
    const [first, ...rest] = files;
    assert.ok(first);
    const removed = { ...first, removed: true };
    assert.equal(added([removed, ...rest], adding('fil_x')).length, most + 1);
  });

  it('fits into five gigabytes to the byte', () => {
    const sizeBytes = LIBRARY_BYTES_MAX_PER_ORGANIZATION - 10;
    const files = [file('fil_1', { sizeBytes })];
    assert.equal(added(files, adding('fil_2', { sizeBytes: 11 })), 'library_full');
    assert.equal(added(files, adding('fil_2', { sizeBytes: 10 })).length, 2);
    const gone = [file('fil_1', { sizeBytes, removed: true })];
    assert.equal(added(gone, adding('fil_2', { sizeBytes: 11 })).length, 2);
  });
});

function removed(files: readonly FileEntry[], fileId: string, flows: readonly FlowEntry[] = []) {
  const command = { id: 'cmd_1', type: 'remove-file', fileId } as const;
  const change = removeFile({ files, flows }, command);
  return 'refusal' in change ? change.refusal.kind : change.files;
}

function sending(name: string, over: Partial<FlowEntry> = {}): FlowEntry {
  const about = { id: 'flw_1', ref: 'flow', name: 'Fluxo', enabled: true, channelId: null };
  const steps = [{ id: 'a', do: 'send', file: name, next: 'end' }];
  return { ...about, isMain: false, triggers: [], steps, updatedAt: 0, ...over };
}

describe('a file that a call removes', () => {
  it('is forgotten if a call has added it; one of a provisioning file keeps its ref', () => {
    const logo = file('fil_2', { ref: 'logo' });
    const both = [file('fil_1'), logo];
    assert.deepEqual(removed(both, 'fil_1'), [logo]);
    assert.deepEqual(removed(both, 'fil_2'), [file('fil_1'), { ...logo, removed: true }]);
  });

  it('is not there where it is unknown, or was removed', () => {
    assert.equal(removed([], 'fil_1'), 'file_not_found');
    assert.equal(removed([file('fil_1', { removed: true })], 'fil_1'), 'file_not_found');
  });

  it('stays while a flow sends it, by its ref or its id', () => {
    const logo = file('fil_2', { ref: 'logo' });
    for (const name of ['logo', 'fil_2']) {
      assert.equal(removed([logo], 'fil_2', [sending(name)]), 'file_in_use');
    }
    for (const flow of [sending('fil_1'), sending('logo', { removed: true })]) {
      assert.deepEqual(removed([logo], 'fil_2', [flow]), [{ ...logo, removed: true }]);
    }
  });
});

it('a file of an earlier version is as old as its organization', () => {
  const shown = (over: Partial<FileEntry>) => shownFile(file('fil_1', over), { createdAt: NOW });
  assert.equal(shown({}).createdAt, new Date(NOW).toISOString());
  assert.equal(shown({ createdAt: 0 }).createdAt, '1970-01-01T00:00:00.000Z');
  assert.deepEqual(Object.keys(shown({})), ['id', 'name', 'mimeType', 'sizeBytes', 'createdAt']);
});
