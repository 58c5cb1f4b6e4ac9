/** A person for whose change an audit entry is made. */
import type { ActingPerson } from '../../../../../shared/wire/audit.ts';

export const ANA: ActingPerson = {
  ...{ memberId: 'mbr_1', name: 'Ana', sessionId: 'ses_1' },
  role: 'admin',
  ...{ address: '203.0.113.1', operation: 'applyChange' },
};
