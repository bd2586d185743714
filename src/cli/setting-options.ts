import type { Setting } from '../config/settings.ts';
import { count, type TypedOption, text, toggle } from './options.ts';

/** Returns the options of settings, by the names of the settings. */
export function settingOptions(
  settings: Readonly<Record<string, Setting>>,
): Record<string, TypedOption<unknown>> {
  const made: Record<string, TypedOption<unknown>> = {};
  for (const [name, { kind, option, off, max, about, default: absent }] of Object.entries(
    settings,
  )) {
    if (option === undefined) continue;
    const help = off ?? (absent === undefined ? about : `${about} (default: ${absent})`);
    if (kind === 'flag') made[name] = toggle(option, help);
    else made[name] = kind === 'count' ? count(option, help, 0, max) : text(option, help);
  }
  return made;
}
