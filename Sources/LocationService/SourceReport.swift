package import LocationModel
package import LocationProviders
package import LocationRadio

/// The status and counts of one source, for a person who looks for the reason of missing fixes.
package struct SourceReport: Sendable {
  package var source: Source
  package var status: ProviderStatus
  /// The last status while the source was needed; idle when it never was.
  package var lastStatus: ProviderStatus
  package var fixes: Int
  /// The date of the newest fix; `nil` before the first.
  package var fixTime: UnixTime?
  /// Why the last scan of transmitters gave no position; `nil` if it did, or there was none.
  package var silence: RadioSilence?
  package var rejections: [SourceRejection]
  package var evidence: SourceEvidence

  package init(
    source: Source, status: ProviderStatus, lastStatus: ProviderStatus? = nil, fixes: Int = 0,
    silence: RadioSilence? = nil, rejections: [SourceRejection] = [],
    evidence: SourceEvidence = SourceEvidence()
  ) {
    self.source = source
    self.status = status
    self.lastStatus = lastStatus ?? status
    self.fixes = fixes
    self.silence = silence
    self.rejections = rejections
    self.evidence = evidence
  }
}
