/** A setting that is wrong or missing; its message is one sentence for the operator. */
export class SettingsError extends Error {}
