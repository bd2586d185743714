import type { ToolDocs } from '../tools.ts';

export const repro: ToolDocs = {
  types: {
    'tools/repro/api.ts': ['ReproMethods', 'ExportReproOptions'],
    'tools/repro/result.ts': [
      'ExportedRepro',
      'ReproSummary',
      'ReplayResult',
      'ReplayDifference',
      'Difference',
    ],
  },
};
