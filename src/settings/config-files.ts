import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SettingsError } from './settings-error.ts';

const configFolder = path.join(import.meta.dirname, '../..', 'config');
const fileFor = (environment: string) => path.join(configFolder, `${environment.replace(/[^\w-]/g, '')}.json`);

/** Whether this environment has settings. Others are not refused: many platforms set the variable for all programs. */
export function isKnownEnvironment(environment: string): boolean {
  return environment === 'development' || existsSync(fileFor(environment));
}

/** A file of settings; the ones after it override its values. */
interface ConfigLayer {
  /** `config/default.json` */
  name: string;
  isDefault: boolean;
  values: object;
}

/** config/default.json, and the environment's own file if there is one. */
export function configLayers(environment: string): ConfigLayer[] {
  const own = fileFor(environment);
  const layer = (file: string, isDefault: boolean) => ({
    name: `config/${path.basename(file)}`,
    isDefault,
    values: readJson(file),
  });
  const base = layer(path.join(configFolder, 'default.json'), true);
  return existsSync(own) ? [base, layer(own, false)] : [base];
}

/** config/default.json, overridden by the environment's own file. */
export function readConfigFiles(environment: string): unknown {
  return configLayers(environment).reduce((base, { values }) => merge(base, values), {});
}

function readJson(file: string): object {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SettingsError(`The file ${file} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

/** Merges `over` into `base`, object by object; arrays and plain values are replaced whole. */
export function merge<T extends object>(base: T, over: object): T {
  const result: T = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const old: unknown = Reflect.get(base, key);
    Reflect.set(result, key, isPlainObject(old) && isPlainObject(value) ? merge(old, value) : value);
  }
  return result;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
