import type { AddedSettings } from '../../config/settings.ts';

export const SETTINGS: AddedSettings = {
  recording: {
    kind: 'flag',
    about: 'Whether requests are recorded for repro export',
    default: 'true',
    option: '--no-recording',
    off: 'Do not record what repro export needs',
  },
};

/** The settings that this tool adds to `createSandbox()`. */
export interface ReproSettings {
  /** False records nothing for `exportRepro`. */
  recording?: boolean | undefined;
}
