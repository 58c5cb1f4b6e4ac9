/** One of everything that has an id, of an organization and of one of its channels. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crmFixtureOf, TEAM } from '../../support/api/crm-fixture.ts';
import { freshPhone } from '../../support/api.ts';
import { named } from '../../support/applied.ts';
import type { Organization, OrganizationOptions } from '../../support/organization.ts';
import type { Stack } from '../../support/stack.ts';

export interface ResourcesFixture {
  readonly channelId: string;
  readonly contactId: string;
  readonly conversationId: string;
  /** Written by the contact. */
  readonly inboundId: string;
  readonly scheduledId: string;
  readonly flowId: string;
  readonly dealId: string;
  readonly taskId: string;
  readonly stageId: string;
  readonly pipelineId: string;
  /** Of the library. */
  readonly fileId: string;
  /** Of the library; a call that takes one away asks for the next. */
  readonly spareFileIds: string[];
  /** Of a message. */
  readonly mediaId: string;
  readonly memberId: string;
  /** The organization's channels by network: a webhook's path is of one network. */
  readonly cloudId: string;
  readonly webId: string;
}

export type Channel = 'main' | 'shop';

const LATER_MS = 60 * 60 * 1000;
/** As many as calls of one fixture take away. */
const SPARE_FILES = 120;
/** Fixtures of one organization take turns. */
let taken = 0;

/** Options with which an organization must be applied. */
export function optionsOf(stack: Stack): OrganizationOptions {
  const path = join(stack.dataDir, 'logo.png');
  writeFileSync(path, Buffer.from('89504e470d0a1a0a', 'hex'));
  const refs = ['logo', ...Array.from({ length: SPARE_FILES }, (_, at) => `spare-${at}`)];
  const files = refs.map((ref) => ({ ref, name: `${ref}.png`, path, mimeType: 'image/png' }));
  const flows = ['main', 'shop'].map((channel) => ({
    ref: channel,
    name: `Fluxo ${channel}`,
    enabled: true,
    channel,
    isMain: false,
    triggers: [],
    steps: [{ id: 'end', do: 'end' }],
  }));
  return { more: { ...TEAM.more, flows, files } };
}

export async function createResourcesFixture(
  stack: Stack,
  org: Organization,
  channel: Channel,
): Promise<ResourcesFixture> {
  const crm = crmFixtureOf(stack, org);
  const channelId = org[channel];
  const fileId = named(org.applied.files, 'logo');
  const phone = freshPhone();
  const { conversationId } = await stack.send(org.key, { channelId, phone, mediaId: fileId });
  const [message] = await stack.history(org.key, conversationId);
  const contact = await stack.contact(org.key, phone);
  assert.ok(contact && message?.media, 'a contact, and a message with a file');
  await stack.network.inbound({ channelId, from: contact.phone, text: 'Oi' });
  const written = await stack.history(org.key, conversationId);
  const inbound = written.find(({ direction }) => direction === 'in');
  assert.ok(inbound, 'a message of the contact');
  const sendAt = new Date(Date.now() + LATER_MS).toISOString();
  const scheduled = await stack.send(org.key, {
    channelId,
    conversationId,
    text: 'Até lá',
    sendAt,
  });
  const deal = await crm.deal({ contactId: contact.id, conversationId });
  assert.equal(deal.conversationId, conversationId, 'its own conversation is kept');
  const task = await crm.task({ dealId: deal.id, assigneeId: crm.member('ana') });
  const share = SPARE_FILES / 4;
  const first = (taken++ % 4) * share;
  const spareFileIds = Array.from({ length: share }, (_, at) =>
    named(org.applied.files, `spare-${first + at}`),
  );
  return {
    channelId,
    spareFileIds,
    contactId: contact.id,
    conversationId,
    inboundId: inbound.id,
    scheduledId: scheduled.messageId,
    flowId: named(org.applied.flows, channel),
    dealId: deal.id,
    taskId: task.id,
    stageId: deal.stageId,
    pipelineId: deal.pipelineId,
    fileId,
    mediaId: message.media.id,
    memberId: crm.member('ana'),
    cloudId: org.main,
    webId: org.shop,
  };
}
