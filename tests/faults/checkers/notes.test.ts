/** Notes that callers write: well, and gone wrong. */
import { call, type Ended, message, show, transmission } from './fixture.ts';
import { notes } from './notes.ts';

const asks = (ended: Ended = { messageId: 'a' }) =>
  call('write-note', { text: 'a', conversationId: 'cnv_1' }, ended);
const note = (id: string, over: object = {}) => message(id, { direction: 'note', ...over });

show(notes, {
  eachIsThereOnce: {
    well: [
      { calls: [asks()], messages: [note('a')] },
      { calls: [asks('unknown')], messages: [] },
      { calls: [asks('unknown')], messages: [note('a')] },
      { calls: [asks(404)], messages: [] },
    ],
    'the note a was accepted and is lost': [
      { calls: [asks()], messages: [] },
      // A message is no note.
      { calls: [asks()], messages: [message('a')] },
    ],
    'the note a is there 2 times': [
      { calls: [asks('unknown')], messages: [note('a'), note('b', { text: 'a' })] },
    ],
    'the note a was refused and is there': [{ calls: [asks(404)], messages: [note('a')] }],
    'the note a is in cnv_2': [
      { calls: [asks()], messages: [note('a', { conversationId: 'cnv_2' })] },
    ],
  },
  noneIsHandedOver: {
    well: [{ messages: [note('a'), message('b')], transmissions: [transmission('b')] }],
    'the note a was handed over': [{ messages: [note('a')], transmissions: [transmission('a')] }],
  },
});
