import { memberKick, memberRole, serverHandOver } from './server-member.ts';

/** All actions of the audit log (contract §5). Its tests, its documents and the words of the web client derive from this list. */
export const auditActions = [memberKick, memberRole, serverHandOver] as const;
