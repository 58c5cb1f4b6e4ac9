/** kill -9 of the NATS server under a load of sends (I25). */
import { killHard } from '../../support/kills.ts';
import { testUnderLoad } from './under-load.ts';

const title = 'without its transport for a moment the service loses, doubles and reorders nothing';
testUnderLoad(title, { progress: 6, happens: ({ stack }) => killHard(stack, 'nats') });
