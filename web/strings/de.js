// de.js - all texts of the page in Deutsch; see ../strings.js.

export const shell = {
  title: 'heed',
  tabs: { translate: 'Übersetzen', see: 'Sehen', learn: 'Lernen', about: 'Info' },
  nav: 'Bereiche',
  skip: 'Zum Inhalt springen',
  toDark: 'Zu dunklen Farben wechseln',
  toLight: 'Zu hellen Farben wechseln',
  status: {
    empty: 'Kein Modell geladen',
    loading: (/** @type {number} */ percent) => `Das Modell wird geladen, ${percent}\u00a0%`,
    ready: 'Bereit',
    failed: 'Das Modell konnte nicht geladen werden',
  },
  progress: 'Download des Modells',
  roomFailed: 'Dieser Bereich konnte nicht geöffnet werden.',
  roomLoading: 'Wird geöffnet…',
  retry: 'Erneut versuchen',
  language: 'Sprache der Seite',
  pair: 'Sprachen der Übersetzung',
  from: 'Übersetzen aus',
  to: 'Übersetzen in',
  swap: 'Sprachen tauschen',
  noSwap: 'Kein Modell für die andere Richtung',
  own: 'eigenes Modell',
};

export const translate = {
  heading: 'Übersetzen',
  lead: 'Einen Text eintippen und seine Übersetzung lesen. Das Modell läuft in dieser Seite, und der Text bleibt hier.',
  source: (/** @type {string} */ language) => language || 'Text',
  target: (/** @type {string} */ language) => language || 'Übersetzung',
  sourceLabel: 'Zu übersetzender Text',
  targetLabel: 'Übersetzung',
  placeholder: 'Etwas eintippen oder einfügen…',
  waiting: 'Die Übersetzung erscheint hier.',
  clear: 'Leeren',
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyFailed: 'Der Browser erlaubt das Kopieren nicht. Den Text bitte markieren und selbst kopieren.',
  undo: 'Rückgängig',
  nothing: 'Das Modell gibt zu diesem Text nichts aus.',
  downloading: (/** @type {string} */ loaded, /** @type {string} */ total) =>
    `Das Modell wird einmalig heruntergeladen: ${loaded} von ${total}.`,
  done: (/** @type {number} */ count, /** @type {number} */ total) => `${count} von ${total} Sätzen`,
  size: (/** @type {number} */ characters) => `${characters.toLocaleString('de')} Zeichen`,
  looksLike: (/** @type {string} */ language) => `Das sieht nach ${language} aus.`,
  translateFrom: (/** @type {string} */ from, /** @type {string} */ to) => `Von ${from} nach ${to} übersetzen`,
  limits: 'Ein kleines Modell: gut bei Alltagssätzen, schwach bei seltenen Wörtern und langen Sätzen. Unterstrichene '
    + 'Wörter sind unsicher. Wer auf ein Wort zeigt, sieht, woher es kommt; ein Klick zeigt, was es sonst sein könnte.',
  alternatives: 'Was hier sonst stehen könnte',
  sure: (/** @type {number} */ percent) => `ist mit einer Wahrscheinlichkeit von ${percent}\u00a0% richtig.`,
  searching: 'Suche läuft…',
  noAlternatives: 'Das Modell hat hier keine anderen Wörter.',
  twoModels: 'Dieses Paar übersetzen zwei Modelle: Sie bieten keine anderen Wörter an.',
  examples: 'Beispiele',
  beams: 'Breiter suchen',
  beamsHint: 'Vier Übersetzungen zugleich verfolgen und auflisten. Langsamer, aber manchmal etwas besser.',
  see: 'Aufmerksamkeit ansehen',
  candidates: 'Die besten Übersetzungen der Suche',
  candidatesOf: (/** @type {number} */ i) => `Satz ${i}`,
  score: 'Log-Wahrscheinlichkeit mit Längenausgleich',
  probability: (/** @type {string} */ share) => `${share} der Summe der hier genannten`,
  speed: (/** @type {number} */ tokens, /** @type {string} */ time, /** @type {string} */ rate) =>
    `${tokens} Tokens in ${time}, ${rate} Tokens/s`,
  memory: (/** @type {string} */ weights, /** @type {string} */ memory) => `Gewichte ${weights}, Speicher ${memory}`,
  where: (/** @type {boolean} */ worker) => (worker ? 'in einem Worker' : 'in der Seite'),
  failed: 'Dieser Text konnte nicht übersetzt werden.',
  loadFailed: 'Das Modell konnte nicht geladen werden.',
  help: {
    NetworkError: 'Bitte die Verbindung oder die Adresse prüfen und es dann erneut versuchen.',
    QuotaExceededError: 'Der Browser hat keinen Platz für das Modell. Bitte andere Tabs schließen und es dann erneut '
      + 'versuchen.',
    NotSupportedError: 'Bitte andere Sprachen oder ein anderes Modell wählen oder einen neueren Browser verwenden.',
    file: 'Eine Datei des Modells fehlt oder ist beschädigt. Bitte das Modell noch einmal herunterladen oder ein '
      + 'anderes wählen.',
    other: 'Bitte erneut versuchen; hilft das nicht, die Seite neu laden.',
  },
  retry: 'Erneut versuchen',
  terms: {
    title: 'Glossar',
    text: 'In jeder Zeile ein Begriff und seine Übersetzung. Genau so steht sie dann im übersetzten Text.',
    hint: 'router = Datenverteiler',
    wrong: (/** @type {number[]} */ lines) =>
      `${lines.length === 1 ? 'Zeile' : 'Zeilen'} ${lines.join(', ')}: erwartet wird Begriff = Übersetzung.`,
    count: (/** @type {number} */ n) => (n === 0 ? '' : `${n} ${n === 1 ? 'Begriff' : 'Begriffe'}`),
    lost: (/** @type {string[]} */ terms) => `Das Modell konnte nicht unterbringen: ${terms.join(', ')}.`,
  },
  own: {
    title: 'Ein eigenes Modell verwenden',
    text: 'Ein beliebiges MarianMT-Verzeichnis (OPUS-MT): config.json, vocab.json, source.spm, target.spm und die '
      + 'Gewichte in model.safetensors oder pytorch_model.bin. Oder die Dateien eines der Modelle von Firefox: '
      + 'model.….bin und vocab.….spm. Die Dateien bleiben in diesem Browser.',
    drop: 'Dateien oder Ordner hier ablegen',
    files: 'Dateien wählen',
    folder: 'Ordner wählen',
    url: 'Adresse des Verzeichnisses',
    urlHint: 'https://…',
    from: 'Von',
    to: 'Nach',
    languageHint: 'Sprachkürzel wie en und de, falls das Modell seine Sprachen nicht nennt',
    load: 'Laden',
    several: (/** @type {string[]} */ folders) =>
      `Das sind mehrere Modelle: ${folders.join(', ')}. Bitte einen Ordner wählen.`,
    missing: (/** @type {string[]} */ names) => `Fehlende Dateien: ${names.join(', ')}.`,
    badUrl: 'Das ist keine https-Adresse.',
  },
};

export const see = {
  heading: 'Sehen',
  views: {
    heads: 'Köpfe', flow: 'Weg', matrix: 'Matrix', neuron: 'Query und Keys', layers: 'Schichten', gates: 'Gates',
    alignment: 'Zuordnung', occlusion: 'Ein Wort weglassen', ablation: 'Köpfe abschalten', beam: 'Beam',
  },
  attention: 'Aufmerksamkeit: Für jedes Token, das es schreibt, sieht das Modell alle anderen an und übernimmt mehr '
    + 'von denen, auf die es ankommt. Die Anteile ergeben zusammen 1.',
  chapter: 'Wie das berechnet wird',
  viewsLabel: 'Ansichten',
  text: 'Text',
  translate: 'Übersetzen',
  sentence: 'Satz',
  model: 'Modell',
  noModel: 'Es ist kein Modell geladen. Unter „Übersetzen“ lässt sich eines laden.',
  loadFailed: 'Das Modell konnte nicht geladen werden.',
  retry: 'Erneut versuchen',
  noText: 'Oben einen Satz eintippen, um hier seine Aufmerksamkeit zu sehen.',
  loading: 'Warten auf das Modell…',
  running: 'Übersetzung läuft…',
  failed: 'Dieser Text konnte nicht übersetzt werden:',
  viewFailed: 'Diese Ansicht konnte nicht gezeigt werden:',
  candidates: (/** @type {number} */ n, /** @type {number} */ of) =>
    `Das Modell hat eine Vorauswahl: Von seinen ${of} Tokens wurden nur die ${n} berechnet, die dieser Satz auswählt. `
    + 'Alle anderen haben hier keine Wahrscheinlichkeit.',
  export: 'Speichern als',
  exportOf: (/** @type {string} */ kind) => `Speichern als ${kind}`,
  exportFailed: 'Die Datei konnte nicht erstellt werden:',
  onlyWords: 'Ohne </s> und Sprache',
  start: '(Start)',
  stack: 'Aufmerksamkeit',
  stacks: { encoder: 'Encoder', cross: 'Encoder zu Decoder', decoder: 'Decoder' },
  shortStacks: { encoder: 'Encoder', cross: 'Kreuz', decoder: 'Decoder' },
  layer: 'Schicht',
  head: 'Kopf',
  heads: 'Köpfe',
  place: (/** @type {string} */ stack, /** @type {number} */ layer, /** @type {number} */ head) =>
    `${stack}, Schicht ${layer}, Kopf ${head}`,

  headsView: {
    choose: 'Attention, Schicht und Köpfe w\u00e4hlen',
    lead: 'Jede Linie führt von einem Token zu einem, auf das es achtet. Eine stärkere Linie ist ein größeres Gewicht. '
      + 'Wer auf ein Token zeigt oder mit den Pfeiltasten dorthin geht, sieht nur dessen Linien.',
    sides: {
      encoder: ['Quelltoken', 'achtet auf'], decoder: ['Eingabe', 'achtet auf'],
      cross: ['Ziel, wie vorhergesagt', 'achtet auf Quelle'],
    },
    all: 'Alle', none: 'Keine',
    threshold: 'Linien ab',
    clearest: 'Der klarste',
    clearestHint: 'Der Kopf, der am entschiedensten auf wenige Wörter achtet',
    attends: (/** @type {string} */ token, /** @type {string} */ list) => `${token} achtet auf ${list}`,
    attended: (/** @type {string} */ token, /** @type {string} */ list) => `Auf ${token} achten: ${list}`,
    mean: 'Die Zahlen sind das Mittel der gewählten Köpfe.',
  },
  matrixView: {
    lead: {
      encoder: 'Jede Zeile ist ein Quelltoken und zeigt, wie es seine Aufmerksamkeit auf alle Quelltokens verteilt.',
      decoder: 'Jede Zeile ist ein Schritt des Decoders: vorhergesagtes Token ← Eingabetoken. '
        + 'Er sieht nur die bisherigen Tokens.',
      cross: 'Jede Zeile ist ein Schritt des Decoders: vorhergesagtes Token ← Eingabetoken. '
        + 'Sie zeigt, wie der Schritt seine Aufmerksamkeit auf die Quelltokens verteilt.',
    },
    help: 'Die Pfeiltasten führen zu einer anderen Zelle. Die Eingabetaste oder ein Klick zeigt die Summe dahinter. '
      + 'Plus und Minus zoomen; zwei Finger zoomen und verschieben.',
    label: (/** @type {string} */ place) => `Aufmerksamkeitsgewichte, ${place}`,
    zoomIn: 'Größer', zoomOut: 'Kleiner', fit: 'Einpassen',
    weight: (/** @type {string} */ w) => `Gewicht ${w}`,
    predicts: (/** @type {string} */ token) => `sagt ${token} vorher`,
    fed: (/** @type {string} */ token) => `Eingabe ${token}`,
    to: (/** @type {string} */ token) => `achtet auf ${token}`,
    of: (/** @type {string} */ token) => `Token ${token}`,
    table: 'Als Tabelle von Zahlen',
    part: (/** @type {string} */ rows, /** @type {string} */ cols) => `Zeilen ${rows}, Spalten ${cols}`,
    range: (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ of) =>
      `${from} bis ${to} von ${of}`,
    up: 'Zeilen davor', down: 'Zeilen danach', left: 'Spalten davor', right: 'Spalten danach',
    row: 'Token',
  },
  neuronView: {
    lead: 'Ein Token fragt mit seiner Query, und jedes Token antwortet mit seinem Key. Ihr Produkt, Zahl für Zahl und '
      + 'dann summiert, ist der Score; Softmax macht aus den Scores Anteile.',
    query: 'Query von',
    token: 'Token',
    key: 'Key k',
    ownQuery: 'Query q',
    products: 'q \u00d7 k',
    score: (/** @type {number} */ size) => `Summe / \u221a${size}`,
    unscaled: 'Summe',
    bias: 'Positions-Bias',
    queryOf: (/** @type {string} */ token) => `Query von ${token}`,
    keyOf: (/** @type {string} */ token) => `Key von ${token}`,
    productsOf: (/** @type {string} */ token) => `Query mal Key von ${token}`,
    negative: 'negativ',
    positive: 'positiv',
    masked: 'Tokens, die noch nicht geschrieben sind, sind maskiert: Ihr Score ist \u2212\u221e.',
  },
  flowView: {
    lead: 'Der ganze Weg vom Text zum nächsten Token, mit den Zahlen des Modells.',
    written: 'Bisher geschrieben:',
    open: (/** @type {string} */ step) => `Öffnen: ${step}`,
    all: 'Alle öffnen',
    none: 'Alle schließen',
    again: 'Noch einmal von vorn',
    write: (/** @type {string} */ token) => `„${token}“ schreiben und weiter`,
    tokens: 'Tokens',
    tokensNote: 'Der Text wird in Stücke zerlegt, die das Modell kennt.',
    embedding: 'Einbettung',
    embeddingNote: (/** @type {number} */ width) =>
      `Aus jedem Token werden ${width} Zahlen: seine Zeile der Einbettungstabelle.`,
    timesNote: (/** @type {number} */ width) => `Alle werden mit \u221a${width} multipliziert.`,
    positionNote: 'Dazu kommt seine Position.',
    normedNote: 'Dann wird jede Zeile normalisiert.',
    distanceNote: 'Die Position wird nicht addiert: Die Aufmerksamkeit addiert zu jedem Score eine Zahl, die vom '
      + 'Abstand der beiden Tokens abhängt.',
    distances: 'zu den Scores addiert, nach Abstand; eine Zeile pro Kopf',
    vectors: 'eine Zeile pro Token',
    encoderLayer: (/** @type {number} */ n) => `Encoder, Schicht ${n}`,
    encoderNote: 'Die Aufmerksamkeit mischt die Tokens und addiert das Gefundene zu jeder Zeile; das '
      + 'Feed-Forward-Netz addiert, was es aus jeder Zeile allein macht.',
    mean: 'Aufmerksamkeit, Mittel der Köpfe',
    adds: 'die Aufmerksamkeit addiert',
    thinks: 'Feed-Forward addiert',
    memory: 'Der Satz, wie ihn der Decoder sieht',
    memoryNote: 'Aus diesen Zeilen kommen die Keys und Values jedes Schritts.',
    fed: 'Was bisher geschrieben ist',
    fedNote: 'Der Decoder bekommt seine eigenen Tokens. Das letzte fragt nach dem nächsten.',
    decoderLayer: (/** @type {number} */ n) => `Decoder, Schicht ${n}`,
    decoderNote: 'Jeder Kopf achtet auf das Geschriebene und dann auf die Quelle.',
    vector: 'Ein Vektor',
    vectorNote: (/** @type {number} */ width) =>
      `Alles, was für das nächste Token zählt, steht in diesen ${width} Zahlen.`,
    logits: 'Logits und Softmax',
    tiedNote: 'Der Vektor mal jede Zeile der Einbettungstabelle ergibt ein Logit pro Token.',
    ownNote: 'Der Vektor mal jede Zeile einer eigenen Matrix ergibt ein Logit pro Token.',
    dividedNote: (/** @type {number} */ width) => `Der Vektor wird vorher durch \u221a${width} geteilt.`,
    softmaxNote: 'Softmax der Logits, geteilt durch die Temperatur, ergibt Wahrscheinlichkeiten.',
    givenNote: 'Dieses Token ist vorgegeben, nicht gewählt: Es nennt die Sprache der Übersetzung.',
    temperature: 'Temperatur',
  },
  layersView: {
    lead: 'Alle Köpfe aller Schichten auf einen Blick. Ein gewählter Kopf öffnet sich unter „Matrix“.',
    open: (/** @type {number} */ layer, /** @type {number} */ head) => `Schicht ${layer}, Kopf ${head} öffnen`,
    layer: (/** @type {number} */ layer) => `Schicht ${layer}`,
    head: (/** @type {number} */ head) => `Kopf ${head}`,
  },
  gatesView: {
    lead: 'Der Decoder dieses Modells hat keine Selbstaufmerksamkeit. Er merkt sich die bisherigen Tokens in einer '
      + 'Reihe von Zahlen, seinem Gedächtnis. Jede Zeile ist hier ein Schritt: vorhergesagtes Token ← Eingabetoken; '
      + 'jede Spalte ist eine Zahl des Gedächtnisses. Je kräftiger die Farbe, desto mehr von der alten Zahl bleibt; '
      + 'den Rest ersetzt eine neue, die aus der Eingabe entsteht.',
    first: 'Im ersten Schritt ist das Gedächtnis leer: Was bleibt, ist 0.',
    label: (/** @type {number} */ layer) => `Anteil des Gedächtnisses, den jeder Schritt behält, Schicht ${layer}`,
    dimension: (/** @type {number} */ i) => `Zahl ${i}`,
    keeps: (/** @type {string} */ share) => `behält ${share}`,
    candidate: (/** @type {string} */ x) => `neu: ${x}`,
    cell: (/** @type {string} */ before, /** @type {string} */ after) => `Gedächtnis: ${before} → ${after}`,
    mean: (/** @type {string} */ share) => `Im Mittel behält ein Schritt ${share} einer Zahl.`,
    zoomIn: 'Größer', zoomOut: 'Kleiner', fit: 'Einpassen',
  },
  alignmentView: {
    lead: 'Auf ein Wort zeigen, es antippen oder mit den Pfeiltasten dorthin gehen: '
      + 'Seine Gegenstücke im anderen Text werden markiert.',
    from: 'Kreuzaufmerksamkeit von',
    mean: 'allen Schichten und Köpfen, Mittel',
    source: 'Quelle', target: 'Übersetzung',
    targetTo: (/** @type {string} */ word, /** @type {string} */ list) => `„${word}“ blickte auf: ${list}`,
    sourceTo: (/** @type {string} */ word, /** @type {string} */ list) => `Auf „${word}“ blickte: ${list}`,
    nothing: 'nichts Bestimmtes',
    choose: 'Kein Wort gewählt.',
    note: 'Die Zahlen sind Anteile an der Aufmerksamkeit des Zielworts. '
      + 'Der Rest liegt jeweils unter 2\u00a0% oder auf dem Satzende.',
  },
  occlusionView: {
    lead: 'Was bewirkt jedes Wort der Quelle? Ein gewähltes Wort wird weggelassen und der Satz neu übersetzt.',
    leaveOut: (/** @type {string} */ word) => `„${word}“ weglassen`,
    nothing: 'Kein Wort ist weggelassen.',
    same: 'Die Übersetzung bleibt gleich.',
    differs: 'Die Übersetzung ändert sich.',
    measuring: (/** @type {number} */ done, /** @type {number} */ of) => `${done} von ${of} Wörtern`,
    legend: 'Zahlen: Änderung der Log-Wahrscheinlichkeit eines Tokens dieser Übersetzung, wenn das Wort darüber fehlt.',
  },
  ablationView: {
    lead: 'Köpfe abschalten: Ihre Ausgabe wird null, und der Satz wird neu übersetzt.',
    reset: 'Alle an',
    measure: 'Welcher Kopf zählt am meisten?',
    measureHint: 'Schaltet die Köpfe einzeln nacheinander ab und misst, wie viel unwahrscheinlicher die Übersetzung '
      + 'dadurch wird.',
    stop: 'Anhalten',
    measuring: (/** @type {number} */ done, /** @type {number} */ of) => `${done} von ${of} Köpfen`,
    original: 'Mit allen Köpfen',
    changed: (/** @type {number} */ n) => `${n} ${n === 1 ? 'Kopf' : 'Köpfe'} abgeschaltet`,
    same: 'Die Übersetzung bleibt gleich.',
    differs: 'Die Übersetzung ändert sich.',
    score: 'Log-Wahrscheinlichkeit',
    delta: (/** @type {string} */ d) => `Änderung ${d}`,
    oldScore: 'Die ursprüngliche Übersetzung, nach dem Modell ohne diese Köpfe',
    running: 'Übersetzung läuft…',
    nothing: 'Alle Köpfe sind an.',
    most: 'Die Köpfe, die diese Übersetzung am meisten braucht',
    rank: (/** @type {string} */ place, /** @type {string} */ d) => `${place}: ${d}`,
    legend: 'Zahlen: Änderung der Log-Wahrscheinlichkeit dieser Übersetzung, wenn nur dieser Kopf aus ist.',
  },
  beamView: {
    lead: 'Die Beam-Suche verfolgt mehrere Übersetzungen zugleich und behält die besten.',
    beams: 'Beams',
    best: 'beste', finished: 'beendet', pruned: 'verworfen',
    tree: 'Baum der Hypothesen',
    treeHelp: 'Pfeiltasten: → zum nächsten Schritt, ← zurück, ↑ ↓ zu den Nachbarn. '
      + 'Blass: sofort verworfen. Fett: der Gewinner.',
    node: (/** @type {string} */ piece, /** @type {string} */ own, /** @type {string} */ sum,
      /** @type {string} */ states) =>
      `${piece}: Log-Wahrscheinlichkeit ${own}, Summe bisher ${sum}${states && `, ${states}`}`,
    list: 'Ergebnisse der Suche',
    listHelp: 'Das beste zuerst, nach dem Score: die Summe der Log-Wahrscheinlichkeiten der Tokens, geteilt durch '
      + 'ihre Anzahl hoch dem Längenausgleich; er ist 1, wenn das Modell nichts anderes angibt. Dahinter steht die '
      + 'Summe.',
    tokens: 'Der Gewinner, Token für Token',
    piece: 'Token', logProb: 'Log-Wahrschein\u00adlichkeit', probability: 'Wahrschein\u00adlichkeit', sum: 'Summe',
    noTree: 'Dieses Modell meldet die Schritte seiner Suche nicht; darum sind nur die Ergebnisse aufgelistet.',
    running: 'Suche läuft…',
  },
};

export const learn = {
  title: 'Lernen',
  lead:
    'Fünfzehn kurze Kapitel, von einem Wort bis zum ganzen Transformer. Die Abbildungen werden bei jeder Änderung ' +
    'einer Zahl neu berechnet, mit demselben Code, der auch übersetzt.',
  contents: 'Kapitel',
  chapter: (/** @type {number} */ number, /** @type {number} */ of) => `Kapitel ${number} von ${of}`,
  previous: 'Zurück',
  next: 'Weiter',
  notice: 'Zu beachten',
  failed: 'Dieses Kapitel konnte nicht gezeigt werden:',
  loading: 'Wird geladen…',
  needsModel: 'Diese Abbildung zeigt das Übersetzungsmodell. Unter „Übersetzen“ lässt sich eines laden.',
  needsInspect: 'In das geladene Modell lässt sich hier nicht hineinsehen.',
  example: 'My sister lives in a small house near the station because she works there.',
  edit: 'Jede Zahl mit Rahmen lässt sich ändern: eine andere eintippen oder die Pfeiltasten ↑ und ↓ benutzen.',
  reset: 'Zahlen zurücksetzen',
  point:
    'Auf eine Zelle zeigen oder mit den Pfeiltasten zu ihr gehen: Ihre Zeile und ihre Spalte leuchten auf, und hier ' +
    'steht, wie sie berechnet wird.',
  startToken: '(Start)',

  embeddings: {
    title: 'Wörter als Vektoren',
    text: [
      'Ein Transformer kann nicht lesen. Er schlägt jedes Token in einer Tabelle nach, die für jeden Eintrag seines ' +
        'Vokabulars eine Zeile von Zahlen hat: das Embedding. Niemand hat diese Zeilen geschrieben; sie werden mit ' +
        'allem anderen gelernt.',
      'Wörter, die ähnlich gebraucht werden, bekommen Zeilen, die in eine ähnliche Richtung zeigen. Die Ähnlichkeit ' +
        'zweier Richtungen ist der Kosinus des Winkels zwischen ihnen: 1 für dieselbe Richtung, 0 für einen rechten ' +
        'Winkel, −1 für entgegengesetzte.',
    ],
    notice:
      'Für den Kosinus zählt nur die Richtung eines Vektors, nicht seine Länge: Wird eine Zeile verdoppelt, ändert ' +
      'sich nichts.',
    vectors: 'Drei Wörter, je zwei Zahlen',
    similarity: 'Kosinus jedes Paars',
    plane: 'Die drei Vektoren als Pfeile in einer Ebene',
    names: ['Katze', 'Hund', 'Auto'],
    real: 'Dasselbe mit dem geladenen Modell',
    words: 'Wörter, durch Leerzeichen getrennt',
    wordsStart: 'Monday Friday mother father three four was were',
    compare: 'Vergleichen',
    near: 'Die nächsten Wörter im Vokabular zu',
    pieces: (/** @type {string} */ word, /** @type {string[]} */ pieces) =>
      `„${word}“ besteht aus ${pieces.length} Tokens (${pieces.join(' + ')}); dies ist das Mittel ihrer Zeilen.`,
    size: (/** @type {number} */ rows, /** @type {number} */ cols) =>
      `Die Tabelle hat ${rows} Zeilen mit je ${cols} Zahlen.`,
    busy: 'Vergleich mit dem ganzen Vokabular…',
    arrows: {
      title: 'Ist eine Beziehung eine Richtung?',
      text:
        'Unterscheidet sich „man“ von „woman“ wie „king“ von „queen“, so sind die Pfeile zwischen ihren Vektoren ' +
        'parallel. Hier haben alle Vektoren die Länge 1, und beide Pfeile sind in der Ebene gezeichnet, in der sie ' +
        'liegen; darum stimmen Längen und Winkel.',
      arrow: (/** @type {string} */ one, /** @type {string} */ two) => `${one}, ${two}`,
      choose: 'Pfeile',
      words: 'Eigene: von, nach, von, nach',
      draw: 'Zeichnen',
      four: (/** @type {number} */ count) => `${count} Wörter gefunden, vier erwartet.`,
      empty: (/** @type {string} */ arrow) =>
        `${arrow}: Der Pfeil hat keine Länge, denn beide Wörter haben denselben Vektor.`,
      plane: 'Beide Pfeile, jeder von seinem Anfang aus',
      verdict: (
        /** @type {string} */ one,
        /** @type {string} */ two,
        /** @type {string} */ cosine,
        /** @type {number} */ angle,
      ) => `${one} und ${two}: Kosinus ${cosine}, ein Winkel von ${angle}°.`,
      verdicts: {
        parallel: 'Sie sind beinahe parallel: Das Modell hat diese Beziehung als Richtung gelernt.',
        alike:
          'Nicht parallel, aber viel näher als Zufall: Zwei Pfeile, die nichts voneinander wissen, haben etwa 90°.',
        not:
          'Sie sind nicht parallel: Dieses Modell hat diese Beziehung nicht als Richtung gelernt. Es ist klein und ' +
          'braucht seine Zeilen zum Übersetzen; nichts in seinem Training verlangt solche Pfeile.',
      },
      pairs: (/** @type {string} */ list) => `Kosinus der Wörter selbst: ${list}.`,
      reached: (/** @type {string} */ sum, /** @type {string} */ list) =>
        `Am nächsten an ${sum}, ohne diese drei Wörter: ${list}.`,
    },
    lookup: {
      title: 'Vom Token zur ersten Schicht',
      text:
        'Die Id eines Tokens ist die Nummer seiner Zeile in E. Die Zeile wird mit √d_model ' +
        'multipliziert, der Wurzel aus der Anzahl ihrer Zahlen, damit sie neben dem Vektor der Position, der addiert ' +
        'wird, nicht zu klein ist. Manche Modelle lassen den Faktor weg, und T5 lässt die Position weg.',
      choose: 'Token',
      token: (/** @type {string} */ piece, /** @type {number} */ id, /** @type {number} */ at) =>
        `„${piece}“ hat die Id ${id} und steht an Position ${at}.`,
      row: (/** @type {number} */ id) => `Zeile ${id} von E`,
      scaled: (/** @type {number} */ width) => `× √${width}`,
      position: (/** @type {number} */ at) => `+ Position ${at}`,
      sum: '= Eingabe von Schicht 1',
      first: (/** @type {number} */ count) => `Die ersten ${count} Zahlen`,
      map: 'Alle Zahlen der Zeile',
      same: 'Die letzte Zeile ist genau das, was das Modell bei encoder.input hat.',
      differs:
        'Das Modell addiert hier mehr als Positionsvektoren: Seine eigenen Zahlen weichen von der letzten Zeile ab.',
    },
  },

  positions: {
    title: 'Die Position eines Worts',
    text: [
      'Aufmerksamkeit betrachtet alle Wörter auf einmal und kennt ihre Reihenfolge nicht. Darum wird zu jedem ' +
        'Embedding ein Muster addiert, das nur von der Position abhängt: Sinus und Kosinus, die schnellen zuerst, ' +
        'jedes Paar langsamer als das vorige.',
      'Wie die Zeiger einer Uhr unterscheiden sie die Positionen. Sie drehen sich gleichmäßig, darum ist „drei ' +
        'Wörter weiter“ überall dieselbe Drehung.',
    ],
    notice:
      'Spalten schneller Wellen ändern sich von Zeile zu Zeile, die langsamsten fast gar nicht. Benachbarte ' +
      'Positionen sind sich am ähnlichsten, überall im Satz.',
    positions: 'Positionen',
    width: 'd_model',
    layout: 'Reihenfolge der Spalten',
    layouts: { interleaved: 'sin, cos, sin, cos … (Originalartikel)', halves: 'erst alle sin, dann alle cos (Marian)' },
    map: 'Die Kodierung: eine Zeile für jede Position, eine Spalte für jede Zahl',
    row: 'Position',
    column: 'Zahl',
    from: 'Vergleichen mit Position',
    likeness: (/** @type {number} */ p) => `Kosinus von Position ${p} und jeder anderen`,
    similarity: 'Kosinus',
    wave: (/** @type {number} */ column) => `Zahl ${column} jeder Position: eine Welle`,
    learned: {
      title: 'Gelernte neben sinusförmigen Positionen',
      text:
        'Positionen lassen sich auch wie Wörter lernen: eine Zeile für jede Position, zuerst zufällig. Ein kleines ' +
        'Modell lernt sie hier, während es lernt, Ziffern rückwärts zu schreiben. Was es findet, steht neben den ' +
        'Sinuswellen.',
      start: 'Positionen lernen',
      stop: 'Anhalten',
      go: 'Fortsetzen',
      idle: 'Nicht gestartet. Es dauert etwa zehn Sekunden.',
      status: (/** @type {number} */ step, /** @type {number} */ of, /** @type {string} */ right) =>
        `Schritt ${step} von ${of}. Ohne Fehler: ${right}.`,
      figures: [
        ['Gelernt', 'Sinusförmig'],
        ['Kosinus zweier gelernter Positionen', 'Kosinus zweier sinusförmiger Positionen'],
      ],
    },
  },

  'self-attention': {
    title: 'Aufmerksamkeit in einfachster Form',
    text: [
      'Jedes Wort blickt auf jedes Wort. Das Skalarprodukt zweier Vektoren sagt, wie sehr ein Wort auf das andere ' +
        'blickt; Softmax macht aus jeder Zeile von Produkten Anteile mit der Summe 1; der neue Vektor eines Worts ' +
        'ist die Mischung aller Vektoren mit diesen Anteilen.',
      'Hier gibt es noch nichts zu lernen: Ein Wort blickt auf ähnliche Wörter.',
    ],
    notice:
      'x xᵀ ist symmetrisch: Die Katze ist dem Hund so ähnlich wie der Hund der Katze. Die Anteile sind es nicht, ' +
      'weil jede Zeile durch ihre eigene Summe geteilt wird.',
    words: ['die', 'Katze', 'Hund', 'sieht'],
    x: 'x: eine Zeile für jedes Wort',
    scores: 'x xᵀ: wie ähnlich',
    weights: 'Softmax: Anteile, jede Zeile mit der Summe 1',
    output: 'Anteile × x: die neuen Zeilen',
    two: 'Zwischen zwei Folgen',
    twoText:
      'Eine Folge muss nicht sich selbst fragen. Hier fragen die Wörter einer anderen: Ihre Produkte mit x sind ' +
      'nicht mehr symmetrisch, es gibt eine Zeile für jedes fragende Wort, und seine neue Zeile ist eine Mischung ' +
      'der Zeilen von x.',
    asking: ['the', 'cat'],
    y: 'Y: die fragenden Wörter',
    otherScores: 'Y xᵀ',
    otherOutput: 'Anteile × x',
  },

  qkv: {
    title: 'Query, Key, Value',
    text: [
      'Ein Wort soll mehr finden als ähnliche Wörter. Darum geben drei gelernte Matrizen jedem Wort drei Vektoren: ' +
        'eine Query (Anfrage: was ich suche), einen Key (Schlüssel: woran andere mich finden) und einen Value (Wert: ' +
        'was ich ihnen weitergebe).',
      'Nun kann „schläft“ nach einem Subjekt fragen und „Katze“ antworten, obwohl beide nicht ähnlich sind.',
    ],
    notice:
      'Wird W_V geändert, bleiben die Anteile gleich, und nur die Ausgabe ändert sich. Wird W_Q geändert, ändern ' +
      'sich die Anteile.',
    words: ['die', 'Katze', 'schläft'],
    x: 'x',
    weights: 'Anteile: Zeile blickt auf Spalte',
    output: 'Ausgabe',
    cell: (/** @type {string} */ product) => `q · k: ${product}; geteilt durch √d_k, dann Softmax über die Zeile`,
    picture: {
      label:
        'Die Query eines Worts trifft den Key eines anderen. Wie gut sie passen, bestimmt den Anteil seines Value ' +
        'an der neuen Zeile des ersten.',
      query: ['Query', 'was es sucht'],
      key: ['Key', 'was es anbietet'],
      value: ['Value', 'was es gibt'],
      output: ['neue Zeile', 'was es bekommt'],
      share: 'Softmax: sein Anteil',
      passes: 'Anteil × v',
    },
  },

  scaled: {
    title: 'Warum durch √d_k geteilt wird',
    text: [
      'Ein Skalarprodukt von d_k Zahlen ist eine Summe von d_k Gliedern. Hat jedes die Größenordnung 1, so hat die ' +
        'Summe die Größenordnung √d_k: Längere Vektoren ergeben größere Scores, obwohl nichts ähnlicher ist.',
      'Softmax großer Zahlen gibt fast alles einem einzigen Wort. Dort ist sie flach, und ein Modell kann nicht ' +
        'lernen. Die Division durch √d_k hält die Scores bei jeder Länge in der Größenordnung 1.',
    ],
    notice:
      'Ohne die Division nimmt sich ein Balken alles, wenn d_k wächst. Mit ihr bleiben die Balken etwa so ' +
      'gleichmäßig wie zuvor.',
    dk: 'd_k, Zahlen in einer Query und einem Key',
    again: 'Andere Vektoren ziehen',
    histogram: (/** @type {number} */ count, /** @type {number} */ dk) =>
      `${count} Skalarprodukte zufälliger Vektoren mit ${dk} Zahlen`,
    score: 'q · k',
    count: 'wie viele',
    spread: (/** @type {string} */ found, /** @type {string} */ root) =>
      `Ihre Streuung (Standardabweichung) ist ${found}; √d_k ist ${root}.`,
    raw: 'Softmax von acht davon',
    divided: 'Softmax derselben ÷ √d_k',
    key: (/** @type {number} */ i) => `Key ${i}`,
  },

  softmax: {
    title: 'Softmax',
    text: [
      'Softmax macht aus jeder Zeile von Zahlen Anteile: e hoch jede Zahl, geteilt durch die Summe. Alle sind ' +
        'positiv, ihre Summe ist 1, und die Reihenfolge bleibt gleich.',
      'Nur Unterschiede zählen: Wird zu jeder Zahl 10 addiert, ändert sich nichts. Wird vorher durch eine Temperatur ' +
        'geteilt, werden die Unterschiede kleiner (warm, gleichmäßige Anteile) oder größer (kalt, der Gewinner ' +
        'bekommt alles).',
    ],
    notice:
      'Bei Temperatur 1 haben zwei Zahlen, die sich um 0,69 (ln 2) unterscheiden, immer Anteile, die sich um den ' +
      'Faktor 2 unterscheiden.',
    numbers: 'Zahlen',
    exponentials: 'e hoch Zahl ÷ Temperatur',
    temperature: 'Temperatur',
    shares: 'Anteile',
    sum: (/** @type {string} */ sum) => `Summe der Exponentialwerte: ${sum}`,
  },

  'by-hand': {
    title: 'Aufmerksamkeit, von Hand gerechnet',
    text: [
      'Vier Wörter mit je sechs Merkmalen. Drei Matrizen bilden Querys, Keys und Values aus drei Zahlen. Eine Query ' +
        'sagt, was ein Wort sucht, ein Key, was es anbietet, und ein Value, was es gibt.',
      'Alle Zahlen sind klein und ganz, sodass sich jeder Schritt mit dem Bleistift verfolgen lässt. Dann ist ⌊x/2⌋ ' +
        'nahe genug an x/√3 und 3 hoch x an e hoch x: Beide runden Zahlen zeigen, was geschieht.',
    ],
    notice:
      'Gerundete Zahlen ändern die Anteile ein wenig, aber das Wort, das am meisten bekommt, ist fast immer dasselbe.',
    words: ['die', 'Katze', 'trinkt', 'Milch'],
    x: 'X: vier Wörter, sechs Merkmale',
    arithmetic: 'Zahlen',
    exact: 'genau: x/√3 und eˣ',
    round: 'von Hand: ⌊x/2⌋ und 3ˣ',
    back: 'Zurück',
    next: 'Nächster Schritt',
    step: (/** @type {number} */ step, /** @type {number} */ of) => `Schritt ${step} von ${of}.`,
    steps: [
      'Jede Zeile von X mal W_Q, W_K und W_V: Query, Key und Value eines Worts.',
      'Jede Query mal jeder Key: wie gut das, was die Zeile sucht, zu dem passt, was die Spalte anbietet.',
      'Geteilt durch √d_k = √3.',
      'e hoch jede Zahl.',
      'Jede Zeile geteilt durch ihre Summe: die Anteile.',
      'Die neue Zeile jedes Worts: die Values aller Wörter, gewichtet mit seinen Anteilen.',
    ],
    roundSteps: ['', '', 'Die Hälfte jeder Zahl, abgerundet, statt der Division durch √3.', '3 hoch jede Zahl.'],
    scores: 'Q Kᵀ',
    divided: 'Skaliert',
    powers: 'Potenzen',
    weights: 'Anteile: Zeile blickt auf Spalte',
    output: 'Anteile × V',
  },

  masking: {
    title: 'Nicht vorausblicken',
    text: [
      'Der Decoder schreibt von links nach rechts. Im Training bekommt er die ganze richtige Antwort; darum darf er ' +
        'das Wort nicht lesen, das er raten soll: Die Scores späterer Wörter werden auf −∞ gesetzt.',
      'e hoch −∞ ist genau 0; maskierte Wörter bekommen also keinen Anteil, und die übrige Zeile hat weiterhin die ' +
        'Summe 1.',
    ],
    notice:
      'Ist die Maske an, so ändert eine neue Zahl über der Diagonale nichts. Das erste Wort kann nur auf sich ' +
      'selbst blicken.',
    words: ['(Start)', 'Die', 'Katze', 'schläft'],
    scores: 'Scores',
    masked: 'Nach der Maske',
    weights: 'Anteile',
    mask: 'Maske',
    on: 'an: nur frühere Wörter',
    off: 'aus: alle Wörter',
    table: {
      title: 'Die Tabelle eines Satzes',
      text:
        'Die Selbstaufmerksamkeit im Encoder des geladenen Modells. Jede Zeile ist ein Wort, und ihre Anteile ' +
        'gehen an die Wörter der Spalten. Eine Vorausblick-Maske gehört zum Decoder, und dieser Encoder wurde ohne ' +
        'sie trainiert: Die Maske zeigt, was sie aus diesen Scores machen würde. Eine Padding-Maske verbirgt, was ' +
        'kürzere Sätze einer Gruppe auffüllt.',
      input: 'Satz',
      show: 'Zeigen',
      layer: 'Schicht',
      head: 'Kopf',
      mean: 'Mittel aller',
      aheadMask: 'Vorausblick-Maske',
      padding: 'Padding',
      paddingMask: 'Padding-Maske',
      on: 'an',
      off: 'aus',
      plain: 'Jedes Wort darf auf jedes andere blicken.',
      ahead: 'Kein Wort blickt auf ein späteres: Über der Diagonale sind alle Anteile 0.',
      hidden: 'Padding bekommt keinen Anteil; der Rest ist genau wie ohne Padding.',
      seen: 'Padding nimmt den Wörtern Anteile weg: Der Satz hängt nun von der Länge seiner Nachbarn ab.',
    },
  },

  'multi-head': {
    title: 'Mehrere Köpfe',
    text: [
      'Eine Softmax ergibt einen Satz von Anteilen. Ein Wort, das zugleich nach seinem Subjekt und nach seinem ' +
        'Adjektiv sucht, braucht zwei. Darum werden die d_model Zahlen auf Köpfe verteilt: Jeder hat eigene Querys, ' +
        'Keys, Values und Anteile.',
      'Eine weitere Matrix, W_O, mischt ihre Ausgaben. Alle Köpfe zusammen kosten nicht mehr als ein großer Kopf.',
    ],
    notice:
      'Beide Köpfe lesen dieselben Wörter, aber ihre Anteile sind verschieden, weil jeder andere Spalten der ' +
      'Matrizen benutzt.',
    words: ['die', 'Katze', 'schläft', 'gut'],
    heads: 'Köpfe',
    x: 'x: änderbar, d_model = 4',
    head: (/** @type {number} */ i, /** @type {number} */ from, /** @type {number} */ to) =>
      `Kopf ${i}: Spalten ${from}\u2060–\u2060${to} von W_Q, W_K und W_V`,
    output: 'Ausgabe',
    see: 'Alle Köpfe des eigenen Satzes ansehen',
    weights: 'Anteile',
    headOutput: 'Anteile × V',
    together: 'Zusammen',
    concat: 'Alle Köpfe nebeneinander',
  },

  cross: {
    title: 'Von einer Sprache in die andere',
    text: [
      'Der Decoder fragt, und der Encoder antwortet: Die Querys kommen von den bisherigen Wörtern, die Keys und ' +
        'Values vom Quellsatz. Das ist der einzige Weg von einer Sprache in die andere.',
      'Es gibt eine Zeile für jedes Wort der Übersetzung und eine Spalte für jedes Wort der Quelle. Es gibt keine ' +
        'Maske: Die ganze Quelle darf jederzeit gelesen werden.',
    ],
    notice:
      'Die Keys gehören zur Quelle: Wird einer geändert, ändert sich eine ganze Spalte von Anteilen, für jedes ' +
      'Zielwort.',
    source: ['the', 'black', 'cat'],
    target: ['die', 'schwarze'],
    queries: 'Q: vom Decoder',
    keys: 'K: vom Encoder',
    values: 'V: vom Encoder',
    weights: 'Anteile',
    output: 'Die neue Zeile jedes Zielworts',
    real: 'Der eigene Satz: Kreuzaufmerksamkeit (Cross-Attention) eines Kopfs',
    layer: 'Schicht',
    head: 'Kopf',
    openHint: 'Eine gewählte Zelle zeigt die Summe dahinter.',
    rows: 'Zeilen: das Wort, das vorhergesagt wird; Spalten: die Quelle',
  },

  ffn: {
    title: 'Der Rest einer Schicht',
    text: [
      'Wenn die Aufmerksamkeit die Wörter gemischt hat, verarbeitet ein kleines Netz aus zwei Matrizen jedes Wort ' +
        'für sich: Es macht die Zeile breiter, wendet einen Knick an (die Aktivierung) und macht sie wieder schmal.',
      'Beide haben eine Residualverbindung: Das Ergebnis wird zur Eingabe addiert; so muss eine Schicht nur eine ' +
        'Änderung lernen. LayerNorm gibt jeder Zeile den Mittelwert 0 und die Varianz 1. Im Originalartikel steht ' +
        'sie nach der Addition (Post-Norm); in vielen späteren Modellen steht sie vor der Teilschicht (Pre-Norm).',
    ],
    notice:
      'Eine Zeile von x mal zehn: Mit Post-Norm bleibt das Ergebnis klein; mit Pre-Norm geht die große Zeile ' +
      'geradewegs hindurch.',
    words: ['Katze', 'schläft'],
    x: 'x',
    inner: 'LayerNorm(x)',
    ffn: { post: 'FFN(x)', pre: 'FFN(LayerNorm(x))' },
    added: 'x + FFN',
    result: { post: 'LayerNorm(x + FFN(x))', pre: 'x + FFN(LayerNorm(x))' },
    order: 'Norm',
    orders: { post: 'danach (Post-Norm)', pre: 'davor (Pre-Norm)' },
    activation: 'Aktivierung',
    curve: 'Der Knick: Ausgabe zu jeder Eingabe',
    input: 'ein',
    outcome: 'aus',
    w1: 'W_1',
    w2: 'W_2',
    gain: 'Gain der Norm',
    bias: 'Bias der Norm',
    wide: 'mal W_1, plus b_1',
    hidden: 'Verborgene Schicht: nach der Aktivierung',
    moments: 'Vor der Norm',
    momentNames: ['Mittel', 'Varianz'],
  },

  model: {
    title: 'Das ganze Modell',
    text: [
      'Der Encoder links liest die Quelle. Er hat N Schichten aus Aufmerksamkeit und einem Feed-Forward-Netz. Der ' +
        'Decoder rechts hat einen Teil mehr, der die Ausgabe des Encoders liest. An seinem Ende steht ein Anteil für ' +
        'jedes Token des Vokabulars.',
      'Jeder Kasten zeigt die Zahlen, die das geladene Modell dort für den eigenen Satz berechnet.',
    ],
    notice:
      'Eingabe und Ausgabe jeder Schicht haben die Form [Wörter, d_model]. So lassen sich Schichten stapeln.',
    norm: 'Norm',
    diagram: 'Der Transformer: links der Encoder, rechts der Decoder. Jeder Kasten ist eine Schaltfläche.',
    encoder: 'Encoder',
    decoder: 'Decoder',
    layers: (/** @type {number} */ count) => `${count} ×`,
    boxes: {
      source: 'Quelltokens',
      'encoder.embedding': 'Embedding',
      'encoder.positions': 'Positionen',
      'encoder.self': 'Self-Attention',
      'encoder.norm1': 'Addition & Norm',
      'encoder.ffn': 'Feed-Forward-Netz',
      'encoder.norm2': 'Addition & Norm',
      'encoder.output': 'Encoder-Ausgabe',
      target: 'Ziel bisher',
      'decoder.embedding': 'Embedding',
      'decoder.positions': 'Positionen',
      'decoder.self': 'Masked Attention',
      'decoder.ssru': 'Rekurrente Einheit',
      'decoder.norm1': 'Addition & Norm',
      'decoder.cross': 'Cross-Attention',
      'decoder.norm2': 'Addition & Norm',
      'decoder.ffn': 'Feed-Forward-Netz',
      'decoder.norm3': 'Addition & Norm',
      'decoder.output': 'Decoder-Ausgabe',
      output: 'Nächstes Token',
    },
    tensor: 'Tensor',
    layer: 'Schicht',
    head: 'Kopf',
    sentence: 'Satz',
    shape: (/** @type {readonly number[]} */ shape) => `[${shape.join(' × ')}]`,
    range: (/** @type {string} */ low, /** @type {string} */ mean, /** @type {string} */ high) =>
      `kleinster Wert ${low}, Mittel ${mean}, größter Wert ${high}`,
    tokens: 'Tokens und ihre Nummern im Vokabular',
    fedIn: 'Eine Zeile heißt nach ihrem Eingabetoken; sie sagt das nächste vorher.',
    top: 'Die fünf wahrscheinlichsten Tokens an jeder Position',
    place: 'nach',
    empty: 'Bitte einen Kasten wählen.',
    map: (/** @type {string} */ name) => `Heatmap von ${name}`,
    sum: 'Eine gewählte Zelle zeigt die Summe dahinter.',
    move: 'Ziehen oder Pfeiltasten verschieben, + und − zoomen.',
    column: (/** @type {number} */ i) => `${i}`,
  },

  objective: {
    title: 'Was das Training senkt',
    text: [
      'Ein Modell im Training bekommt die bisherigen richtigen Wörter, auch dort, wo es andere geschrieben hätte: ' +
        'Teacher Forcing. Für jede Stelle gibt es jedem Wort eine Wahrscheinlichkeit. Sein Verlust ist −log p des ' +
        'richtigen Worts.',
      'Mit Label Smoothing ist für das richtige Wort etwas weniger als 1 gewünscht und für alle anderen ein wenig. ' +
        'So muss das Modell seine Scores nicht immer weiter auseinandertreiben. Der Gradient ist einfach: was es ' +
        'gesagt hat, minus was gewünscht war.',
    ],
    notice:
      'Steigt der Score des richtigen Worts, so fällt der Verlust mit Smoothing erst und steigt dann wieder. Auch zu ' +
      'sicher ist falsch.',
    words: ['Katze', 'Hund', 'Maus', 'Haus'],
    logits: 'Scores der Wörter',
    right: 'Das richtige Wort',
    smoothing: 'Label Smoothing',
    p: 'Was das Modell sagt',
    wanted: 'Was gewünscht ist',
    gradient: 'Gradient jedes Scores: gesagt − gewünscht',
    loss: (/** @type {string} */ loss, /** @type {string} */ p) => `Verlust ${loss}. Das richtige Wort hat p = ${p}.`,
    forced: 'Teacher Forcing: das geladene Modell und seine eigene Übersetzung',
    forcedText: 'Jede Zeile bekommt alle Wörter bis zu ihrem eigenen und muss das nächste vorhersagen.',
    columns: ['letzte Eingabe', 'vorherzusagen', 'p', '−log p'],
    mean: (/** @type {string} */ mean) => `Mittlerer Verlust ${mean} pro Token`,
    schedule: 'Wie schnell es lernt: die Lernrate',
    warmup: 'Warm-up, Schritte',
    step: 'Schritt',
    rate: 'Lernrate',
    peak: (/** @type {string} */ rate, /** @type {number} */ step) =>
      `Sie steigt bis Schritt ${step} auf ${rate} und fällt dann`,
  },

  decoding: {
    title: 'Die Wahl der Wörter',
    text: [
      'Das Modell liefert Wahrscheinlichkeiten; eine Suche macht daraus einen Satz. Die gierige Suche (greedy) nimmt ' +
        'jedes Mal das beste nächste Wort. Die Beam-Suche verfolgt mehrere Anfänge zugleich; so kann auch ein ' +
        'zweitbestes erstes Wort noch gewinnen.',
      'Längere Sätze multiplizieren mehr Wahrscheinlichkeiten, also sind sie immer weniger wahrscheinlich. Die ' +
        'Division der Log-Wahrscheinlichkeit durch die Länge hoch α gleicht das aus.',
    ],
    notice:
      'Mit einem Beam nimmt die Suche zuerst „Ein“. Mit zweien findet sie „Der Kater“, was als Ganzes ' +
      'wahrscheinlicher ist.',
    startWord: '(Start)',
    first: ['Ein', 'Der'],
    second: ['Hund', 'Kater'],
    end: '(Ende)',
    after: (/** @type {string} */ word) => `Wahrscheinlichkeiten nach ${word}`,
    afterThat: 'Wahrscheinlichkeiten nach dem ersten Wort. Zeilen werden durch ihre Summe geteilt',
    beams: 'Beams',
    penalty: 'Längenausgleich',
    step: (/** @type {number} */ step) => `Schritt ${step}: p jedes Anfangs; ✓ geht weiter`,
    best: (/** @type {string} */ best, /** @type {string} */ p, /** @type {string} */ score) =>
      `Gefunden: „${best}“, p = ${p}, Score ${score}.`,
    greedy: (/** @type {string} */ best) => `Die gierige Suche findet „${best}“.`,
    see: 'Die Beams des eigenen Satzes ansehen',
    tree: 'Der Baum: p jedes Anfangs. Gestrichelt: von der Suche verworfen. Dick: gefunden',
  },

  train: {
    title: 'Selbst einen trainieren',
    text: [
      'Ein Transformer mit 2 + 2 Schichten und 64 Zahlen pro Wort beginnt mit zufälligen Gewichten. Er lernt ' +
        'eine Aufgabe nur aus Beispielen und daraus, wie falsch er bei jedem lag.',
      'Das Training geht weiter, während andere Bereiche offen sind. Was er gelernt hat, bleibt in diesem ' +
        'Browser, auch wenn die Seite geschlossen wird.',
    ],
    notice:
      'Fällt der Verlust, so findet die Kreuzaufmerksamkeit einer Schicht, woher jede Antwort kommt: bei Ziffern ' +
      'eine Diagonale, bei Sätzen Wort für Wort, mit einem Sprung, wo das Deutsche die Reihenfolge umkehrt.',
    task: 'Aufgabe',
    tasks: {
      reverse: {
        name: 'Ziffern rückwärts schreiben',
        text: 'Um die erste Ziffer zu schreiben, muss er auf die letzte blicken.',
        input: 'Ziffern, 3 bis 10 Stück',
        bad: (/** @type {string} */ text) => `Gefunden: „${text}“; erwartet: 3 bis 10 Ziffern von 0 bis 9.`,
        rows: 'Zeilen: die Ziffer, die geschrieben wird; Spalten: die gelesenen Ziffern',
        see: '',
      },
      words: {
        name: 'Kleine Sätze übersetzen',
        text:
          'Aus dem Englischen ins Deutsche, mit 66 Wörtern. „The“ hat drei Geschlechter und zwei Fälle, Adjektive ' +
          'richten sich danach, und nach „today“ steht das Verb vor dem Subjekt. Geprüft wird mit Sätzen, die er nie ' +
          'gesehen hat.',
        input: 'Ein Satz aus Wörtern, die er kennt',
        bad: (/** @type {string} */ text) =>
          `Gefunden: „${text}“; erwartet: ein Satz wie „today the young man likes a flower“. Artikel: the, a, an. ` +
          'Adjektive: small, old, big, young, new. Nomen: dog, man, bird, cat, woman, flower, child, house, book. ' +
          'Verben: sees, finds, looks for, needs, likes.',
        rows: 'Zeilen: das Wort, das geschrieben wird; Spalten: die gelesenen Wörter',
        see: 'Der Bereich Übersetzen verwendet dann das eigene Modell, bis wieder ein Sprachenpaar gewählt wird.',
      },
    },
    start: 'Trainieren',
    stop: 'Anhalten',
    go: 'Fortsetzen',
    again: 'Neu beginnen',
    loss: 'Verlust',
    steps: 'Schritte',
    curve: 'Verlust in jedem Schritt',
    map: 'Kreuzaufmerksamkeit, Mittel der Köpfe',
    status: (
      /** @type {number} */ step,
      /** @type {number} */ of,
      /** @type {string} */ loss,
      /** @type {string} */ right,
    ) => `Schritt ${step} von ${of}. Verlust ${loss}. Ohne Fehler: ${right}.`,
    background: (/** @type {number} */ step, /** @type {number} */ of) => `Training: Schritt ${step} von ${of}`,
    idle: 'Nicht gestartet. Es dauert eine halbe bis zwei Minuten; die Seite bleibt benutzbar.',
    unkept: 'Es ließ sich nicht in diesem Browser speichern und geht beim Schließen der Seite verloren.',
    finished: 'Fertig.',
    stopped: 'Angehalten.',
    failed: 'Das Training ist fehlgeschlagen:',
    oneWeight: 'Ein Gewicht beim Lernen',
    watched:
      'Die erste Zahl von W_Q in der Kreuzaufmerksamkeit der letzten Schicht. Jeder Schritt bewegt sie gegen das ' +
      'laufende Mittel ihrer Gradienten, geteilt durch die Wurzel aus dem Mittel von deren Quadraten: Das ist Adam.',
    watchedNow: (/** @type {string} */ weight, /** @type {string} */ gradient) =>
      `Das Gewicht war ${weight}, sein Gradient ${gradient}.`,
    weight: 'Gewicht',
    gradient: 'Gradient',
    use: 'Ausprobieren',
    answer: 'Seine Antwort',
    right: 'Richtig.',
    wrong: (/** @type {string} */ expected) => `Falsch; richtig wäre ${expected}.`,
    layer: 'Schicht',
    end: 'Ende',
    random: (/** @type {number} */ choices, /** @type {string} */ loss) =>
      `Wer eines von ${choices} rät, hat einen Verlust von ln ${choices} = ${loss}.`,
    see: 'In Sehen öffnen',
  },

  sum: {
    title: 'Die Summe hinter einer Zelle',
    close: 'Schließen',
    loading: 'Wird berechnet…',
    failed: 'Die Summe konnte nicht gezeigt werden:',
    place: (/** @type {string} */ stack, /** @type {number} */ layer, /** @type {number} */ head) =>
      `${stack}, Schicht ${layer}, Kopf ${head}`,
    stacks: {
      encoder: 'Selbstaufmerksamkeit des Encoders',
      decoder: 'Selbstaufmerksamkeit des Decoders',
      cross: 'Kreuzaufmerksamkeit',
    },
    asks: (/** @type {string} */ row, /** @type {string} */ col) => `Wie sehr „${row}“ auf „${col}“ blickt`,
    predicts: (/** @type {string} */ piece) => `Diese Zeile sagt „${piece}“ vorher.`,
    products: 'Query mal Key, Zahl für Zahl',
    query: 'q',
    key: 'k',
    product: 'q × k',
    total: 'Summe: q · k',
    scaled: 'Geteilt durch √d_k',
    unscaled: 'Dieses Modell teilt die Summe nicht durch √d_k: Seine Gewichte wurden ohne das trainiert.',
    bias: (/** @type {number} */ distance) => `Positions-Bias dieses Kopfs beim Abstand ${distance}`,
    biased: 'Score: beides addiert',
    biasNote:
      'Dieses Modell hat keine Positionsvektoren. Jeder Kopf addiert eine eigene Zahl zum Score, die nur vom Abstand ' +
      'zwischen Query und Key abhängt; alle Schichten dieser Seite verwenden dieselbe.',
    masked: 'Dieser Key kommt nach der Query: Die Maske setzt den Score auf −∞ und den Anteil auf 0.',
    allowed: 'Die Maske lässt diesen Key durch.',
    softmax: 'Softmax über die Zeile',
    token: 'Token',
    score: 'Score',
    power: 'e^(Score − max)',
    share: 'Anteil',
    scoreOf: (/** @type {string} */ token) => `Score von ${token}`,
    softmaxNote:
      'Ein gewähltes Token zeigt seine eigene Summe. Wird ein anderer Score eingetippt, folgen Anteile und Ausgabe.',
    edited: (/** @type {string} */ map) => `Mit dem geänderten Score. In der Karte des Modells: ${map}.`,
    again: 'Die eigenen Scores des Modells',
    rowSum: 'Summe',
    values: 'Values, gewichtet und addiert',
    valuesNote:
      'Von oben nach unten: der Value-Vektor dieses Tokens; der Vektor mal Anteil; die Summe über alle Tokens, ' +
      'also die Ausgabe dieses Kopfs.',
    thisValue: 'Anteil × v',
    mixed: 'Summe',
    number: 'Zahl',
    check: (/** @type {string} */ here, /** @type {string} */ map) =>
      `Schritt für Schritt berechnet: ${here}. In der Karte des Modells: ${map}.`,
    differs:
      'Die letzte gezeigte Ziffer weicht ab, weil diese Summe mit 64-Bit-Zahlen rechnet und das Modell mit ' +
      '32-Bit-Zahlen.',
    int8:
      'Dieses Modell rechnet in int8: q, k und v entstehen aus Produkten von 8-Bit-Gewichten mit Aktivierungen, die ' +
      'auf 7 Bit gerundet sind. Die Zahlen oben enthalten diese Rundung. Von hier an (q · k, Softmax und die ' +
      'gewichtete Summe) ist alles 32-Bit-Gleitkomma, darum stimmen die Schritte überein.',
    f32: 'Dieses Modell rechnet durchgehend mit 32-Bit-Gleitkommazahlen.',
    hidden: (/** @type {number} */ count) =>
      `und ${count} ${count === 1 ? 'weiteres Token' : 'weitere Tokens'} mit einem Anteil von`,
  },
};

export const about = {
  heading: 'Info',
  lead: 'heed ist ein Encoder-Decoder-Transformer in WebAssembly. Er übersetzt in der Seite und zeigt jedes '
    + 'Aufmerksamkeitsgewicht der Übersetzung.',
  privacy: {
    title: 'Datenschutz',
    text: [
      'Nichts, was hier eingetippt wird, verlässt diese Seite. Dahinter steht kein Server, es gibt kein Konto, keine '
      + 'Cookies und kein Tracking.',
      'Ein Link aus der Adresszeile enthält den Text nach dem #; diesen Teil senden Browser nicht an den Server.',
      'Die Seite lädt ihre eigenen Dateien und das Modell herunter. Der Browser speichert beides, darum funktioniert '
      + 'die Seite auch offline.',
    ],
  },
  how: {
    title: 'Wie es funktioniert',
    text: [
      'Der Kern ist in C geschrieben, mit 128-Bit-SIMD nach WebAssembly übersetzt und läuft in einem Worker, damit die '
      + 'Seite bedienbar bleibt. Die Gewichte sind ganze Zahlen mit 8 Bit.',
      'Die Aufmerksamkeit unter „Sehen“ ist keine Näherung: Das Modell hat sie berechnet, für jede Schicht und jeden '
      + 'Kopf des Encoders, des Decoders und der Aufmerksamkeit zwischen beiden.',
    ],
  },
  models: {
    title: 'Modelle',
    loading: 'Die Liste der Modelle wird gelesen…',
    none: 'Diese Seite hat keine Liste von Modellen.',
    failed: 'Die Beschreibung dieses Modells konnte nicht gelesen werden:',
    pair: 'Sprachen',
    parameters: 'Parameter',
    size: 'Download',
    license: 'Lizenz',
    trained: 'Trainingsdaten',
    pairs: (/** @type {string} */ n) => `${n} Satzpaare`,
    scores: 'Bewertung',
    state: 'Stand',
    provisional: 'Vorläufig: nur kurz trainiert. Gut bei Alltagssätzen, schlecht bei seltenen Wörtern und langen '
      + 'Sätzen.',
  },
  own: {
    title: 'Auf der eigenen Seite',
    text: 'Diesen Ordner auf einen beliebigen Webserver kopieren oder die Bibliothek verwenden:',
    code: "import { Translator } from 'heed';\n\nconst translator = await Translator.create({\n"
      + "  sourceLanguage: 'en', targetLanguage: 'de', models: 'models/index.json',\n});\n"
      + "await translator.translate('The house is small.');",
    codeLabel: 'Beispiel',
    docs: 'Anleitungen, Referenz und Beispiele',
  },
};
