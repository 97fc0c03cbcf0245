import manifest from '../../package.json' with { type: 'json' };

/** As released. */
export const version = manifest.version;
