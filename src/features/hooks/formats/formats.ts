import type { HookFormatName } from '../../../contract/hook.ts';
import { alertmanager } from './alertmanager.ts';
import { discord } from './discord.ts';
import type { Delivery, HookFormat } from './format.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { grafana } from './grafana.ts';
import { parley } from './parley.ts';
import { slack } from './slack.ts';

/** Those that are told by headers first, then by ever fewer fields. */
const formats: readonly HookFormat[] = [github, gitlab, grafana, alertmanager, parley, discord, slack];

export const formatNamed = (name: string): HookFormat | undefined => formats.find((format) => format.name === name);

/**
 * The format of a post: that which the address or the incoming webhook names, else the first that recognises it. A JSON object
 * that none does is shown as it is.
 */
export function formatOf(delivery: Delivery, named: 'auto' | HookFormatName): HookFormat {
  if (named !== 'auto') return formatNamed(named) ?? parley;
  return formats.find((format) => format.recognises(delivery)) ?? parley;
}
