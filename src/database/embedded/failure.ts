/** The embedded PostgreSQL cannot run; the message is one sentence for the operator. */
export class EmbeddedPostgresError extends Error {}
